// Several reads as if they were one: see `CompanyReader.steady`.
import type { CompanyReader, ReadStore } from "./store.ts";

/** A version is never used again: where it is the same before and after, all reads between saw it. `known`: one of just now. */
export async function steadily<T>(
  store: Pick<ReadStore, "version" | "company">,
  companyId: string,
  known: string | undefined,
  work: (company: CompanyReader) => Promise<T>,
): Promise<T> {
  let version = known ?? (await store.version(companyId));
  for (;;) {
    const result = await work(store.company(companyId, version ?? undefined));
    const now = await store.version(companyId);
    if (now === version) return result;
    version = now;
  }
}
