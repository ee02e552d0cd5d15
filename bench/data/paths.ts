// The addresses that each measure asks for, drawn anew from the same seed.
import { Random } from "../../src/generate/random.ts";
import { CompanyRows } from "./company.ts";
import { BIG, type CompanyShape, SMALL, TODAY } from "./shape.ts";

const DAY_MS = 86_400_000;
const PAGE = 25;
const DRAWS = 200_000;

const day = (offset: number) => new Date(Date.parse(TODAY) + offset * DAY_MS).toISOString().slice(0, 10);
const big = new CompanyRows(BIG);
const small = new CompanyRows(SMALL);

const times = <T>(count: number, make: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, index) => make(index));

/** Workers of the big company, each once, in an order of no meaning. */
export function shuffledWorkerIds(): string[] {
  const order = new Random(1, 1, 1).shuffled(times(BIG.workers, (index) => index));
  return order.slice(0, DRAWS).map((index) => big.workerId(index));
}

const workersAfter = (rows: CompanyRows, index: number) => `/v1/workers?afterId=${rows.workerId(index)}`;

/** A hundred pages in a row, from the page with this number on. */
const pagesFrom = (page: number) => times(100, (index) => workersAfter(big, (page + index) * PAGE - 1));

function fullPagesOf(rows: CompanyRows, shape: CompanyShape): string[] {
  return times(shape.workers - PAGE, (index) => workersAfter(rows, index));
}

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

function awayAfter(): string[] {
  const random = new Random(1, 3, 1);
  return times(20_000, () => {
    const cursor = `tor_${random.whole(0, 0xffff_ffff).toString(16).padStart(8, "0")}`;
    return `${away(random.whole(-1000, 90))}&afterId=${cursor}`;
  });
}

/** By measure. */
export const PATHS = {
  hot: () => pagesFrom(2000),
  cold: () => shuffledWorkerIds().map((id) => `/v1/workers?afterId=${id}`),
  worker: () => shuffledWorkerIds().map((id) => `/v1/workers/${id}`),
  requestsOfWorker: () => shuffledWorkerIds().map((id) => `/v1/time_off/requests?workerIds=${id}`),
  policyStatusMonth,
  balances: () => shuffledWorkerIds().map((id) => `/v1/time_off/balances?afterId=${id}`),
  away: () => new Random(1, 4, 1).shuffled(times(1090, (index) => away(index - 1000))),
  awayAfter,
  awayNothing: () => times(1000, (index) => away(index % 2 === 0 ? 8000 + index : -8000 - index)),
  pageFirst: () => ["/v1/workers", ...pagesFrom(1).slice(1)],
  pageDeep: () => pagesFrom(7000),
  smallCompany: () => fullPagesOf(small, SMALL),
} satisfies Record<string, () => string[]>;

export type PathsName = keyof typeof PATHS;
