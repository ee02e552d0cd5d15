// A table of people, and parts that show a person in any view.
import { Link, type LinkProps } from "wouter";
import type { Worker } from "../../client/index.ts";
import { departmentOf, statusName, underName, workplaceOf } from "../data/directory.ts";
import { useServer } from "../data/queries.ts";
import { useSettings } from "../data/settings.ts";
import type { TimeOffType } from "../data/time-off-types.ts";
import { t } from "../texts/texts.ts";
import { type Column, DataTable, dayColumn, sorted } from "./table.tsx";

const columnsOf = (): readonly Column<Worker>[] => [
  {
    key: "name",
    name: t("field.person"),
    value: ({ displayName }) => displayName,
    cell: (worker) => (
      <>
        <PersonName worker={worker} />
        <bdi className="under soft small clip">{underName(worker)}</bdi>
      </>
    ),
  },
  {
    key: "department",
    name: t("field.department"),
    isWide: true,
    value: departmentOf,
  },
  {
    key: "location",
    name: t("field.location"),
    isWide: true,
    value: (worker) => workplaceOf(worker) ?? zoneName(worker.timeZone),
  },
  {
    key: "email",
    name: t("field.email"),
    isWide: true,
    value: addressOf,
    cell: (worker) => <Address text={addressOf(worker)} />,
  },
  dayColumn("start", t("field.firstDay"), ({ startDate }) => startDate),
  dayColumn("end", t("field.lastDay"), ({ endDate }) => endDate),
  {
    key: "status",
    name: t("field.status"),
    value: ({ status }) => statusName(status),
    cell: ({ status }) => <Status status={status} />,
  },
];

const addressOf = ({ workEmail, email }: Worker) => workEmail ?? email;

/** An address, which breaks before the `@` if it is too long for its line. */
function Address({ text }: { readonly text: string }) {
  const at = text.lastIndexOf("@");
  return (
    <span className="small">
      {text.slice(0, at)}
      <wbr />
      {text.slice(at)}
    </span>
  );
}

interface PeopleProps {
  readonly name: string;
  readonly people: readonly Worker[];
}

export function PeopleTable({ name, people }: PeopleProps) {
  const { search } = useSettings();
  const sorting = search.get("sort") ?? "name";
  const columns = columnsOf();
  const lines = sorted(people, columns, sorting).map((row) => ({ key: row.id, row }));
  return <DataTable name={name} columns={columns} lines={lines} sorting={sorting} />;
}

/** A link that keeps the `known` day of the address. */
export function KnownLink({ href, ...how }: LinkProps & { readonly href: string }) {
  const { knownOn } = useServer();
  return <Link {...how} href={knownOn === null ? href : `${href}?known=${knownOn}`} />;
}

/** A name that links to the person's page if the viewer may see it. */
export function PersonName({ worker }: { readonly worker: Pick<Worker, "id" | "displayName"> }) {
  const { access } = useServer();
  const name = <bdi className="clip">{worker.displayName}</bdi>;
  if (access === "away") return <strong>{name}</strong>;
  return <KnownLink href={`/people/${worker.id}`}>{name}</KnownLink>;
}

export function Status({ status }: Pick<Worker, "status">) {
  return <span className={`pill status-${status}`}>{statusName(status)}</span>;
}

/** The initials of the first and last word of the shown name. */
export function Initials({ worker }: { readonly worker: Worker }) {
  const words = worker.displayName.split(/\s+/).filter((word) => /^[\p{L}\p{N}]/u.test(word));
  const ends = words.length > 1 ? [words[0]!, words.at(-1)!] : words;
  const letters = ends.map((word) => [...word][0]);
  return (
    <span className="initials" aria-hidden="true">
      {letters.join("").toUpperCase()}
    </span>
  );
}

/** `Europe/Berlin` as `Berlin`. */
export function zoneName(zone: string | null): string {
  return zone === null ? "" : (zone.split("/").at(-1) ?? zone).replaceAll("_", " ");
}

interface SwatchProps {
  /** Null or undefined if there is no type. */
  readonly type: TimeOffType | null | undefined;
  readonly isPending?: boolean;
}

/** The colour of a type of time off, with its letters for people who do not see colours. */
export function Swatch({ type, isPending = false }: SwatchProps) {
  return (
    <span className={`swatch ${type?.tone ?? "tone-none"}${isPending ? " pending" : ""}`} aria-hidden="true">
      {type?.letters}
    </span>
  );
}
