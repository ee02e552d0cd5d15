// One import of a company: all or nothing, except for rows that the operator sends to quarantine.
import { CompanyChanged, type ImportSession, type WriteStore } from "../store/store.ts";
import { formatDay } from "../time/day.ts";
import { loadQueries } from "./convert/import-rows.ts";
import { ImportWriter } from "./import-writer.ts";
import { changeTimes } from "./load/gate.ts";
import { QueryDatabases } from "./read/query.ts";
import { DEFAULT_QUERY_LIMITS } from "./read/query-thread.ts";
import type { Source } from "./read/sources.ts";
import type { ImportOptions, ImportReport } from "./report.ts";
import { ImportRefused } from "./row-errors.ts";
import { type ImportFiles, StagedImport } from "./staged-import.ts";

/**
 * Imports the sources into a company, and returns the report. Prints nothing. The order of files and rows makes no difference. Raises
 * ImportRefused with every mistake, if a row is bad and may not go to quarantine, or if pruning is unsafe. Any error leaves the company
 * unchanged.
 */
export async function importCompany(
  store: WriteStore,
  companyId: string,
  given: readonly Source[],
  options: ImportOptions,
): Promise<ImportReport> {
  const sources = given.map((source) => withToday(source, options.today));
  const queries = new QueryDatabases({ ...DEFAULT_QUERY_LIMITS, ...options.queryLimits });
  try {
    await loadQueries(sources, queries);
    const changedAtMs = await changeTimes(sources, options.pulled);
    for (;;) {
      try {
        return await store.stage(
          companyId,
          async (session) => {
            const isLaterPull = options.pulled !== undefined && (await session.count("openings")) > 0;
            const reported = isLaterPull ? reportedSources(sources, options.today) : [];
            const files = {
              sources: [...sources, ...reported],
              queries,
              totalBytes: bytesOf(sources),
              changedAtMs,
            };
            return importFiles(session, files, options);
          },
          options.writing,
        );
      } catch (error) {
        if (!(error instanceof CompanyChanged)) throw error; // else begins again
      }
    }
  } finally {
    queries.close();
  }
}

/** The steps of an import, in order. */
async function importFiles(
  session: ImportSession,
  files: ImportFiles,
  options: ImportOptions,
): Promise<ImportReport> {
  const staged = new StagedImport(session, files, options);
  try {
    await staged.begin();
    for (const kind of staged.kinds) await staged.check(kind); // reads, converts and stages, parents first
    staged.refuseBad();
    staged.tellProgress(true);
  } catch (error) {
    if (error instanceof ImportRefused) await session.requireUnchanged();
    throw error;
  }
  return session.hold(async (transaction) => {
    const heldSinceMs = performance.now();
    const writer = new ImportWriter(staged, transaction);
    await writer.load(); // what is new or changed
    const notInFiles = await writer.prune(); // what is gone
    await writer.refreshPolicies();
    await writer.tellOfCloses();
    await writer.eraseOld(); // what is older than the company keeps it
    const report = await transaction.check(() => writer.report(notInFiles, heldSinceMs));
    const record = options.record?.(report);
    return {
      result: report,
      changed: report.isChanged,
      commit: !options.isDryRun,
      keepRemovalsMs: options.keepRemovalsMs,
      hasErased: writer.hasErased,
      ...(record === undefined ? {} : { record }),
    };
  });
}

/** The size of the files that are read as they are; 0 for one that is gone, which is refused when it is read. */
function bytesOf(sources: readonly Source[]): number {
  const sizes = sources.map(({ origin }) => (origin.type === "file" ? Bun.file(origin.path).size : 0));
  return sizes.reduce((sum, size) => sum + size, 0);
}

/** Calendars expand their events around today. */
function withToday(source: Source, today: number): Source {
  const { origin } = source;
  return origin.type === "file"
    ? { ...source, origin: { ...origin, options: { ...origin.options, today } } }
    : source;
}

/** The openings of a later pull as reported balances, to compare with ours. Last balances of months before this one stay. */
function reportedSources(sources: readonly Source[], today: number): readonly Source[] {
  if (sources.some(({ kind }) => kind === "reported")) return [];
  const complete = { startsOnOrAfter: `${formatDay(today).slice(0, 7)}-01` };
  return sources.flatMap((source): Source[] => {
    const { kind, label, mapping } = source;
    if (kind !== "openings" || mapping === null) return [];
    const ofReported = { ...mapping, mapping: { ...mapping.mapping, complete, ignore: "*" as const } };
    return [{ ...source, kind: "reported", label: `${label}, compared`, mapping: ofReported }];
  });
}
