// A system with people and their days of leave, whose API has a window; a pull file and a mapping for it.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { openWriteStore } from "../../src/cli/open.ts";
import { Fake, json, status } from "./fakes/fake.ts";

export interface Person {
  readonly id: string;
  readonly leave: readonly string[];
}

const MAPPING = {
  workers: {
    from: "people.json",
    columns: { id: "legacyId", name: "fullName", mail: "email" },
    values: { startDate: "2020-01-01", status: "active", type: "employee", isBusiness: false },
  },
  policies: {
    rows: [
      {
        legacyId: "PTO",
        name: "PTO",
        timeOffTypeName: "PTO",
        paid: true,
        unit: "day",
        schedule: "yearly",
        minutesPerPeriod: 9600,
      },
    ],
  },
  assignments: {
    from: "people.json",
    columns: { id: "workerId" },
    values: { policyId: "PTO", startsOn: "2020-01-01" },
    ignore: "*",
  },
  requests: {
    from: "leave.json",
    columns: { id: "legacyId", person: "workerId", day: ["startAt", "endAt", "createdAt"] },
    values: { timeOffPolicyId: "PTO", status: "approved", requestedMinutes: 480 },
    dates: "yyyy-MM-dd",
    endDay: "included",
  },
};

export const KEY = { HR_KEY: "the-key" };

export class System {
  people: readonly Person[] = [
    { id: "E1", leave: ["2026-03-02", "2026-05-04"] },
    { id: "E2", leave: ["2026-04-06"] },
  ];

  private constructor(readonly fake: Fake) {}

  static async start(): Promise<System> {
    const system: System = new System(
      await Fake.start(({ path, query, headers }) => {
        if (headers.get("authorization") !== "Bearer the-key") return status(401, "who are you?");
        const { people } = system;
        if (path === "/people")
          return json(people.map(({ id }) => ({ id, name: `Person ${id}`, mail: `${id}@example.com` })));
        const from = query.get("from") ?? "";
        return json(
          people.flatMap(({ id, leave }) =>
            leave.filter((day) => day >= from).map((day) => ({ id: `${id}-${day}`, person: id, day })),
          ),
        );
      }),
    );
    return system;
  }

  /** Writes `hr.pull.json` and `hr.map.json`. */
  write(folder: string, windowDays = 60): void {
    const from = `{today-${windowDays}d}`;
    const files = {
      "people.json": { get: "people" },
      "leave.json": { get: "leave", query: { from }, complete: { requests: { endsOnOrAfter: from } } },
    };
    const pace = { perMinute: 6000 };
    const content = { base: this.fake.url, auth: { bearer: "{secret.HR_KEY}" }, pace, files };
    writeFileSync(join(folder, "hr.pull.json"), JSON.stringify(content));
    writeFileSync(join(folder, "hr.map.json"), JSON.stringify(MAPPING));
  }
}

/** The legacy ids of the workers and requests of the store in a folder, or at an address, in order. */
export async function storedIds(folder: string, address?: string): Promise<string[]> {
  const store = await openWriteStore(address ?? join(folder, "rollcall.db"));
  const ids: string[] = [];
  await store.export("acme", async (kind, rows) => {
    if (kind === "workers" || kind === "requests")
      for (const row of rows) ids.push((row as { legacyId: string }).legacyId); // both have one here
  });
  await store.close();
  return ids.sort();
}
