// What is computed of many workers lets other requests run between two of them, however many were read at once.
import { afterAll, expect, spyOn, test } from "bun:test";
import { Computation } from "../../../src/http/computation.ts";
import { capacityList } from "../../../src/http/routes/capacity.ts";
import { expirationsList, movementsList } from "../../../src/http/routes/movements.ts";
import { SCOPES } from "../../../src/resources/resource.ts";
import { assignmentRow, policyRow, requestRow, workerRow } from "../../support/rows.ts";
import { addCompany, openTestStore } from "../../support/stores.ts";
import { TODAY } from "../service.ts";

const ids = Array.from({ length: 30 }, (_, at) => String(100 + at));
const store = await openTestStore();
afterAll(() => store.dispose());
await addCompany(store.writer, "acme", {
  workers: ids.map((id) => workerRow(`wrk_${id}`)),
  policies: [policyRow("top_1")],
  assignments: ids.map((id) => assignmentRow(`toa_${id}`, `wrk_${id}`, "top_1")),
  requests: ids.map((id) => requestRow(`tor_${id}`, `wrk_${id}`, "top_1")),
});

/** Each of its turns is over at once. Counts those that others got after the last read of the store. */
class ShortTurns extends Computation {
  given = 0;

  constructor() {
    super(Number.POSITIVE_INFINITY);
    this.join(new AbortController().signal);
  }

  override turn(): Promise<void> {
    return new Promise((resolve) =>
      setImmediate(() => {
        this.given++;
        resolve();
      }),
    );
  }
}

/** The last number: turns for each worker. Balances take one when they are gathered, and one when they are computed. */
test.each([
  ["capacity", capacityList, 1],
  ["movements", movementsList, 2],
  ["expirations", expirationsList, 2],
] as const)("%s", async (_name, { list }, turns) => {
  const computation = new ShortTurns();
  const company = store.reader.company("acme");
  const reader: typeof company = new Proxy(company, {
    get(target, name) {
      const read = Reflect.get(target, name);
      if (name === "atOneVersion")
        return (work: (inner: typeof company) => unknown) =>
          target.atOneVersion(async (inner) => work(noted(inner)));
      return typeof read === "function" ? read.bind(target) : read;
    },
  });
  function noted(inner: typeof company): typeof company {
    return new Proxy(inner, {
      get(target, name) {
        const read = Reflect.get(target, name);
        if (typeof read !== "function") return read;
        return (...given: unknown[]) => {
          computation.given = 0;
          return Reflect.apply(read, target, given);
        };
      },
    });
  }
  const values = { from: "2026-03-01", to: "2026-03-31" } as never; // of each list
  const input = { company: reader, values, id: "", scopes: SCOPES, today: TODAY, computation };
  await list!.page(input, { limit: 100 });
  expect(computation.given).toBeGreaterThanOrEqual(turns * ids.length);
});

test("a pause of the process at the end of a turn leaves no work behind", async () => {
  let nowMs = performance.now();
  const now = spyOn(performance, "now").mockImplementation(() => (nowMs += 10)); // each turn is over when it begins
  const left: unknown[] = [];
  const note = (error: unknown) => left.push(error);
  process.on("unhandledRejection", note);
  try {
    const computation = new Computation(Number.POSITIVE_INFINITY);
    computation.join(new AbortController().signal);
    await computation.turn();
    computation.end();
    for (let turn = 0; turn < 3; turn++) await new Promise(setImmediate);
    expect(left).toEqual([]);
  } finally {
    process.off("unhandledRejection", note);
    now.mockRestore();
  }
});
