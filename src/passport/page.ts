// What a passport runs in the browser: the balance engine on the facts of the file, for the day that the reader picks. All text is put in as text.
import { type BalanceAmounts, balance, explain } from "../balances/balance.ts";
import { dayOfText, formatDay, parseDay } from "../time/day.ts";
import type { Passport, PassportBalance } from "./passport.ts";

const AMOUNTS = ["accruedUnlocked", "accruedLocked", "used", "holds", "available"] as const;
const LABELS: Readonly<Record<(typeof AMOUNTS)[number], string>> = {
  accruedUnlocked: "Accrued",
  accruedLocked: "Accrued, not usable yet",
  used: "Used",
  holds: "Pending",
  available: "Available",
};

type Child = string | Node;

function element(
  name: string,
  attributes: Readonly<Record<string, string>>,
  ...children: Child[]
): HTMLElement {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
}

const cell = (value: unknown) =>
  typeof value === "number"
    ? element("td", { class: "number" }, String(value))
    : element("td", {}, value === null || value === undefined ? "" : String(value));

function table(columns: readonly string[], rows: readonly (readonly (Node | unknown)[])[]): HTMLElement {
  const head = element("tr", {}, ...columns.map((column) => element("th", {}, column)));
  const body = rows.map((row) =>
    element("tr", {}, ...row.map((item) => (item instanceof Node ? item : cell(item)))),
  );
  return element("table", {}, element("thead", {}, head), element("tbody", {}, ...body));
}

const hours = (minutes: number) => `${Math.round((minutes / 60) * 100) / 100} h`;

const isSame = (a: BalanceAmounts, b: BalanceAmounts) => AMOUNTS.every((name) => a[name] === b[name]);

/** Whether figures were served for the day, and the same. */
function verdict(one: PassportBalance, on: string, today: number): HTMLElement {
  const served = one.served.find((figures) => figures.on === on);
  if (served === undefined) return element("span", {}, "no figure was served for this day");
  const computed = balance(one.facts, { today, endDate: dayOfText(on) });
  return isSame(served, computed)
    ? element("span", { class: "same" }, "equals what was served")
    : element(
        "span",
        { class: "other" },
        `served: ${AMOUNTS.map((name) => `${LABELS[name]} ${served[name]}`).join(", ")}`,
      );
}

/** How many of all figures that were served come out the same. */
function checked({ balances, today }: Passport): HTMLElement {
  let [count, same] = [0, 0];
  for (const { facts, served } of balances)
    for (const figures of served) {
      count += 1;
      if (isSame(figures, balance(facts, { today, endDate: dayOfText(figures.on) }))) same += 1;
    }
  const text = `${same} of ${count} figures that were served come out the same in this browser.`;
  return element("p", { id: "checked", class: same === count ? "same" : "other" }, text);
}

function balanceSection(one: PassportBalance, on: string, today: number): HTMLElement {
  const heading = element("h3", {}, one.policyName);
  if (one.openedOn !== null && on < one.openedOn)
    return element("section", {}, heading, `Its balance begins on ${one.openedOn}.`);
  const window = { today, endDate: dayOfText(on) };
  const amounts = balance(one.facts, window);
  const entries = explain(one.facts, window).map(
    ({ date, kind, minutes, balance: left, unlocksOn, detail }) => [
      ...[formatDay(date), kind, minutes, left],
      ...[unlocksOn === null ? "" : formatDay(unlocksOn), detail],
    ],
  );
  return element(
    "section",
    { "data-policy": one.policyId },
    heading,
    table(
      AMOUNTS.map((name) => LABELS[name]),
      [
        AMOUNTS.map((name) =>
          element("td", { "data-amount": name, title: hours(amounts[name]) }, String(amounts[name])),
        ),
      ],
    ),
    element("p", {}, "In minutes. ", verdict(one, on, today)),
    element(
      "details",
      {},
      element("summary", {}, `${entries.length} steps`),
      table(["Day", "Kind", "Minutes", "Balance", "Usable from", "How"], entries),
    ),
    element(
      "details",
      {},
      element("summary", {}, "Facts and rules"),
      element("pre", {}, JSON.stringify(one.facts, null, 1)),
    ),
  );
}

function storedSection([kind, rows]: [string, Passport["stored"][string]]): Node[] {
  if (rows.length === 0) return [];
  const columns = [...new Set(rows.flatMap((row) => Object.keys(row)))].filter((name) =>
    rows.some((row) => row[name] !== null && row[name] !== undefined && row[name] !== ""),
  );
  return [
    element("h3", {}, kind.replaceAll("_", " ")),
    table(
      columns,
      rows.map((row) => columns.map((name) => row[name])),
    ),
  ];
}

function show(passport: Passport): void {
  const { worker, company, today, balances, stored, policies, version } = passport;
  const made = formatDay(today);
  document.title = `Leave passport of ${worker.displayName}`;
  const picker = element("input", { type: "date", id: "day", value: made, required: "" }) as HTMLInputElement;
  const sections = element("div", { id: "balances" });
  const compute = () => {
    const day = parseDay(picker.value);
    if (day === null) return;
    sections.replaceChildren(...balances.map((balance) => balanceSection(balance, formatDay(day), today)));
  };
  picker.addEventListener("input", compute);
  compute();
  document
    .getElementById("page")!
    .append(
      element("h1", {}, `Leave passport of ${worker.displayName}`),
      element(
        "p",
        {},
        `${company.name}. Made on ${made} by Rollcall ${version}${company.dataAsOf === null ? "" : `, of data as of ${company.dataAsOf}`}.`,
      ),
      element(
        "p",
        {},
        "This file needs no network. It has everything that is stored of this person, and the program that computes the balances.",
      ),
      checked(passport),
      element("h2", {}, "Balances"),
      element("label", {}, "At the end of ", picker),
      sections,
      element("h2", {}, "Stored"),
      ...Object.entries(stored).flatMap(storedSection),
      element("h3", {}, "Policies"),
      ...policies.map((policy) =>
        element(
          "details",
          {},
          element("summary", {}, policy.name),
          element("pre", {}, JSON.stringify(policy, null, 1)),
        ),
      ),
    );
}

show(JSON.parse(document.getElementById("passport")!.textContent!) as Passport); // what html.ts wrote
