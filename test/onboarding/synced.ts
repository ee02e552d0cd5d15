// A sync of a preset from a fake, and what the company then is, in short lines by legacy ids.
import { expect } from "bun:test";
import { join } from "node:path";
import { openWriteStore } from "../../src/cli/open.ts";
import { formatDay } from "../../src/time/day.ts";
import { rollcallHere } from "../cli/command.ts";
import type { FakeOfPreset } from "../pull/fakes/fake.ts";

export interface Facts {
  /** `status, first day to last day, manager, work address`. */
  readonly workers: Readonly<Record<string, string>>;
  /** `paid` or `unpaid`, and `works` if people work during it. */
  readonly policies: Readonly<Record<string, string>>;
  /** `worker, policy, minutes, status, start to end`; times to the minute. */
  readonly requests: Readonly<Record<string, string>>;
  /** The minutes of days that the system tells, by request: `2024-12-30 480, 2024-12-31 240`. */
  readonly days: Readonly<Record<string, string>>;
  /** `worker policy`, and the times without employment. */
  readonly assignments: readonly string[];
  /** By `worker policy`, minutes. */
  readonly openings: Readonly<Record<string, string>>;
  readonly reported: Readonly<Record<string, string>>;
  readonly balances: Readonly<Record<string, number | null>>;
}

/** Syncs into `acme` of a folder, which it creates the first time. Raises an error unless the exit code is `exitCode`. */
export async function syncHere(
  folder: string,
  preset: string,
  { base, env }: FakeOfPreset,
  today: string,
  exitCode = 0,
  ...args: string[]
): Promise<{ readonly stdout: string; readonly stderr: string }> {
  await rollcallHere(folder, ["companies", "create", "acme"]);
  const command = [
    "sync",
    preset,
    "--company",
    "acme",
    "--today",
    today,
    "--base",
    base,
    "--strict",
    ...args,
  ];
  const ended = await rollcallHere(folder, command, env);
  expect(ended, `${ended.stdout}${ended.stderr}`).toMatchObject({ exitCode });
  return ended;
}

/** The ids of the requests, by the source system where it has told them. */
export async function requestIdsOf(folder: string): Promise<string[]> {
  const store = await openWriteStore(join(folder, "rollcall.db"));
  const ids: string[] = [];
  await store.export("acme", async (kind, rows) => {
    if (kind !== "requests") return;
    for (const { legacyId, id } of rows as unknown as { legacyId: string | null; id: string }[])
      ids.push(legacyId ?? id);
  });
  await store.close();
  return ids;
}

export async function factsOf(folder: string, today: string): Promise<Facts> {
  const store = await openWriteStore(join(folder, "rollcall.db"));
  const rows = new Map<string, Record<string, unknown>[]>();
  await store.export("acme", async (kind, some) => {
    rows.set(kind, [...(rows.get(kind) ?? []), ...(some as unknown as Record<string, unknown>[])]); // columns by name
  });
  await store.close();
  const of = (kind: string) => rows.get(kind) ?? [];
  const names = new Map(
    [...of("workers"), ...of("policies")].map(({ id, legacyId }) => [id, String(legacyId ?? id)]),
  );
  const name = (id: unknown) => (id === null || id === undefined ? "-" : names.get(id)!);
  const docs = (kind: string) =>
    of(kind).map(({ legacyId, id, doc }) => [String(legacyId ?? id), JSON.parse(String(doc))]);
  const pair = ({ workerId, policyId }: Record<string, unknown>) => `${name(workerId)} ${name(policyId)}`;
  const amounts = (kind: string) =>
    Object.fromEntries(
      of(kind).map((row) => [
        `${pair(row)}${kind === "reported" ? ` ${formatDay(row.day as number)}` : ""}`,
        `${row.minutes} on ${formatDay(row.day as number)}`,
      ]),
    );
  const asked = await rollcallHere(folder, ["balances", "--company", "acme", "--on", today, "--json"]);
  const balances = JSON.parse(asked.stdout) as Record<string, number | null>[];
  return {
    workers: Object.fromEntries(
      docs("workers").map(([id, one]) => [
        id,
        `${one.status}, ${one.startDate} to ${one.endDate}, manager ${name(one.managerId)}, ${one.workEmail}`,
      ]),
    ),
    policies: Object.fromEntries(
      docs("policies").map(([id, one]) => [
        id,
        `${one.paid ? "paid" : "unpaid"}${one.isAbsence ? "" : ", works"}`,
      ]),
    ),
    requests: Object.fromEntries(
      docs("requests").map(([id, one]) => [
        id,
        `${name(one.workerId)}, ${name(one.timeOffPolicyId)}, ${one.requestedMinutes} ${one.status}, ${one.startAt.slice(0, 16)} to ${one.endAt.slice(0, 16)}`,
      ]),
    ),
    days: Object.fromEntries(
      of("requests").flatMap(({ legacyId, terms }) => {
        const { dayMinutes } = JSON.parse(String(terms)) ?? {};
        const days = dayMinutes as { day: number; minutes: number }[] | undefined;
        const text = days?.map(({ day, minutes }) => `${formatDay(day)} ${minutes}`).join(", ");
        return text === undefined ? [] : [[String(legacyId), text]];
      }),
    ),
    assignments: of("assignments")
      .map((row) => {
        const gaps: { first: number; last: number }[] = JSON.parse(String(row.terms))?.gaps ?? [];
        const texts = gaps.map(({ first, last }) => `${formatDay(first)}/${formatDay(last)}`);
        return [pair(row), ...texts].join(" ");
      })
      .sort(),
    openings: amounts("openings"),
    reported: amounts("reported"),
    balances: Object.fromEntries(balances.map((one) => [pair(one), one.available!])),
  };
}
