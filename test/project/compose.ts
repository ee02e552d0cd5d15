// The files of Compose, as others run Rollcall by them.
import { join } from "node:path";

export const DELIVERY = join(import.meta.dir, "../../delivery");
export const read = (name: string) => Bun.file(join(DELIVERY, name)).text();

interface Service {
  readonly image: string;
  readonly command: string;
  readonly profiles?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
}

/** The services of a file of Compose, with its variables from `environment`. */
export async function services(
  environment: Record<string, string>,
  file = "compose.yaml",
): Promise<Readonly<Record<string, Service>>> {
  const text = (await read(`compose/${file}`)).replace(
    /\$\{(\w+):-([^}]*)\}/g,
    (_, name, otherwise) => environment[name] ?? otherwise,
  );
  const parsed = Bun.YAML.parse(text) as { services: Readonly<Record<string, Service>> }; // by Compose's schema
  return parsed.services;
}

/** The variables of a file such as company.env. */
export async function variables(name: string): Promise<Record<string, string>> {
  return Object.fromEntries(
    (await read(name))
      .split("\n")
      .filter((line) => /^\w+=/.test(line))
      .map((line) => line.split("=", 2)),
  );
}
