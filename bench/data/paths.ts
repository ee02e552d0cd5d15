// The addresses of each measure, drawn from a fixed seed.
import { Random } from "../../src/generate/random.ts";
import { CompanyRows } from "./company.ts";
import { BIG, TODAY } from "./shape.ts";

const DAY_MS = 86_400_000;
const PAGE = 25;
const DRAWS = 200_000;

const day = (offset: number) => new Date(Date.parse(TODAY) + offset * DAY_MS).toISOString().slice(0, 10);
const big = new CompanyRows(BIG);

const times = <T>(count: number, make: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, index) => make(index));

/** Every worker of the big company once, in random order. */
function shuffledWorkerIds(): string[] {
  const order = new Random(1, 1, 1).shuffled(times(BIG.workers, (index) => index));
  return order.slice(0, DRAWS).map((index) => big.workerId(index));
}

/** A hundred consecutive pages from the middle of the list. */
const hotPages = () =>
  times(100, (index) => `/v1/workers?afterId=${big.workerId((2000 + index) * PAGE - 1)}`);

function policyStatusMonth(): string[] {
  const random = new Random(1, 2, 1);
  return times(20_000, () => {
    const from = new Date(Date.parse(TODAY));
    from.setUTCMonth(from.getUTCMonth() - random.whole(1, 35));
    const to = new Date(from);
    to.setUTCMonth(to.getUTCMonth() + 1);
    const policy = big.policyId(random.whole(0, BIG.policies - 1));
    const status = random.pick(["approved", "pending", "denied"]);
    const month = `startsOnOrAfter=${from.toISOString().slice(0, 10)}&startsBefore=${to.toISOString().slice(0, 10)}`;
    return `/v1/time_off/requests?policyIds=${policy}&statuses=${status}&${month}`;
  });
}

const away = (from: number) =>
  `/v1/time_off/requests?startsBefore=${day(from + 7)}&endsOnOrAfter=${day(from)}`;

/** The addresses by measure. */
export const PATHS = {
  hot: hotPages,
  cold: () => shuffledWorkerIds().map((id) => `/v1/workers?afterId=${id}`),
  worker: () => shuffledWorkerIds().map((id) => `/v1/workers/${id}`),
  requestsOfWorker: () => shuffledWorkerIds().map((id) => `/v1/time_off/requests?workerIds=${id}`),
  policyStatusMonth,
  balances: () => shuffledWorkerIds().map((id) => `/v1/time_off/balances?afterId=${id}`),
  away: () => new Random(1, 4, 1).shuffled(times(1090, (index) => away(index - 1000))),
} satisfies Record<string, () => string[]>;

export type PathsName = keyof typeof PATHS;
