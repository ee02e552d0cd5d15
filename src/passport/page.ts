// The script of a passport. It computes balances from the facts in the file, for the day that the reader picks. It inserts text, not HTML.
import { type BalanceAmounts, type BalanceEntry, balance, balancesIn, explain } from "../balances/balance.ts";
import { YEARS_AHEAD } from "../balances/facts.ts";
import type { OwnedKind } from "../resources/kinds.ts";
import type { Policy } from "../resources/policies.ts";
import { addMonths, type Day, dayOfText, formatDay, parseDay } from "../time/day.ts";
import { amount, facts, instantText, number, plainDay, plainText, signed } from "../web/data/format.ts";
import { detailIn } from "../web/people/detail.ts";
import { grantText, ruleTexts } from "../web/policies/rules.ts";
import type { Language } from "../web/texts/languages.ts";
import { speak, type TextKey, t } from "../web/texts/texts.ts";
import type { Passport, PassportBalance } from "./passport.ts";

const AMOUNTS = ["accruedUnlocked", "accruedLocked", "used", "holds", "available"] as const;
const LABELS = {
  accruedUnlocked: "movement.granted",
  accruedLocked: "file.locked",
  used: "part.used",
  holds: "part.requested",
  available: "part.left",
} as const;

/** The headings of the kinds of stored rows. */
const STORED: Readonly<Record<OwnedKind | "workers", TextKey>> = {
  workers: "field.person",
  assignments: "file.assignments",
  requests: "view.requests",
  adjustments: "file.adjustments",
  work_hours: "file.workedHours",
  openings: "entry.opening",
  schedules: "file.schedules",
  reported: "file.reported",
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

/** A print style shows `column` before each value, because a row may be wider than a page. */
const cell = (value: unknown, column: string) =>
  element(
    "td",
    { "data-name": column, ...(typeof value === "number" && { class: "number" }) },
    value === null || value === undefined ? "" : String(value),
  );

function table(columns: readonly string[], rows: readonly (readonly (Node | unknown)[])[]): HTMLElement {
  const isFigure = (item: unknown) =>
    typeof item === "number" || (item instanceof Element && item.className === "number");
  const head = element(
    "tr",
    {},
    ...columns.map((column, at) =>
      element("th", rows.some((row) => isFigure(row[at])) ? { class: "number" } : {}, column),
    ),
  );
  const body = rows.map((row) =>
    element("tr", {}, ...row.map((item, at) => (item instanceof Node ? item : cell(item, columns[at]!)))),
  );
  return element("table", {}, element("thead", {}, head), element("tbody", {}, ...body));
}

const figure = (attributes: Readonly<Record<string, string>>, text: string) =>
  element("td", { class: "number", ...attributes }, text);

const details = (summary: Child, ...children: Child[]) =>
  element("details", {}, element("summary", {}, summary), ...children);

const json = (value: unknown) => element("pre", { dir: "ltr" }, JSON.stringify(value, null, 1));

const isSame = (a: BalanceAmounts, b: BalanceAmounts) => AMOUNTS.every((name) => a[name] === b[name]);

/** Compares the computed figures with those that the server gave for the day, if it gave any. */
function verdict({ served }: PassportBalance, on: Day, amounts: BalanceAmounts): HTMLElement {
  const then = served.find((figures) => figures.on === formatDay(on));
  if (then === undefined) return element("span", {}, t("file.notServed"));
  if (isSame(then, amounts)) return element("span", { class: "same" }, t("file.equal"));
  const figures = AMOUNTS.map((name) => t("fact", { name: t(LABELS[name]), value: number(then[name]) }));
  return element("span", { class: "other" }, t("file.served", { figures: figures.join(", ") }));
}

/** How many of the served figures are computed the same here. */
function checked({ balances, today }: Passport): HTMLElement {
  let [count, same] = [0, 0];
  for (const { facts, served } of balances) {
    const windows = served.map(({ on }) => ({ today, endDate: dayOfText(on) }));
    const amounts = balancesIn(facts, windows);
    count += served.length;
    same += served.filter((figures, at) => isSame(figures, amounts[at]!)).length;
  }
  return element(
    "p",
    { id: "checked", class: same === count ? "same" : "other" },
    t("file.checked", { same, count }),
  );
}

function balanceSection(owned: PassportBalance, policy: Policy, on: Day, today: Day): HTMLElement {
  const { unit, isUnlimited } = policy;
  const heading = element("h3", {}, element("bdi", {}, owned.policyName));
  if (owned.openedOn !== null && formatDay(on) < owned.openedOn)
    return element("section", {}, heading, t("file.begins", { day: plainText(owned.openedOn) }));
  const window = { today, endDate: on };
  const amounts = balance(owned.facts, window);
  const said = (name: (typeof AMOUNTS)[number]) =>
    isUnlimited && name === "available" ? t("balance.unlimited") : amount(amounts[name], unit);
  const entries = explain(owned.facts, window);
  const steps = details(t("file.steps", { count: entries.length }));
  // Made when first opened: decades of daily grants are thousands of rows.
  steps.addEventListener("toggle", () => steps.append(stepsTable(entries, unit)), { once: true });
  return element(
    "section",
    { "data-policy": owned.policyId },
    heading,
    table(
      [t("field.what"), t(`policy.unit.${unit}`), t("field.minutes")],
      AMOUNTS.map((name) => [
        t(LABELS[name]),
        figure({}, said(name)),
        figure({ "data-amount": name }, number(amounts[name])),
      ]),
    ),
    element("p", {}, verdict(owned, on, amounts)),
    steps,
    details(t("file.facts"), json(owned.facts)),
  );
}

function stepsTable(entries: readonly BalanceEntry[], unit: Policy["unit"]): HTMLElement {
  const rows = entries.map(({ date, kind, minutes, balance, unlocksOn, detailParts }) => [
    plainDay(date),
    facts(
      t(`entry.${kind}`),
      detailIn(unit, detailParts),
      unlocksOn !== null && unlocksOn > date && t("entry.locked", { day: plainDay(unlocksOn) }),
    ),
    figure({}, signed(minutes, unit)),
    figure({}, amount(balance, unit)),
  ]);
  return table([t("field.day"), t("field.what"), t("field.amount"), t("figure.balance")], rows);
}

function storedSection(name: string, rows: Passport["stored"][string]): Node[] {
  if (rows.length === 0) return [];
  const columns = [...new Set(rows.flatMap((row) => Object.keys(row)))].filter((name) =>
    rows.some((row) => (row[name] ?? "") !== ""),
  );
  const shown = table(
    columns,
    rows.map((row) => columns.map((name) => row[name])),
  );
  const frame = element("div", { class: "stored", role: "group", "aria-label": name, tabindex: "0" }, shown);
  return [element("h3", {}, name), frame];
}

function show(passport: Passport): void {
  const { worker, company, today, balances, stored, policies, version } = passport;
  const policyOf = new Map(policies.map((policy) => [policy.id, policy]));
  const title = t("file.title", { name: worker.displayName });
  document.title = title;
  const picker = element("input", {
    type: "date",
    id: "day",
    value: formatDay(today),
    max: formatDay(addMonths(today, 12 * YEARS_AHEAD)),
    required: "",
  }) as HTMLInputElement;
  const sections = element("div", { id: "balances" });
  const compute = () => {
    // The browser says what is wrong with a day.
    const day = picker.reportValidity() ? parseDay(picker.value) : null;
    const shown = day === null ? [] : balances;
    sections.replaceChildren(
      ...shown.map((owned) => balanceSection(owned, policyOf.get(owned.policyId)!, day!, today)), // all policies are there
    );
  };
  picker.addEventListener("input", compute);
  compute();
  const made = t("file.made", { day: plainDay(today), version });
  const asOf = company.dataAsOf !== null && t("data.asOf", { instant: instantText(company.dataAsOf) });
  document
    .getElementById("page")!
    .append(
      element("h1", {}, title),
      element("p", {}, facts(company.name, made, asOf)),
      element("p", {}, t("passport.about")),
      checked(passport),
      element("h2", {}, t("view.balances")),
      element("label", {}, t("file.endOf"), " ", picker),
      sections,
      element("h2", {}, t("file.stored")),
      element("p", {}, t("file.columns")),
      ...(passport.hidesReasons ? [element("p", {}, t("file.noReasons"))] : []),
      ...Object.entries(STORED).flatMap(([kind, key]) => storedSection(t(key), stored[kind]!)),
      element("h3", {}, t("view.policies")),
      ...policies.map((policy) =>
        details(
          element("bdi", {}, policy.name),
          element(
            "ul",
            {},
            ...[grantText(policy), ...ruleTexts(policy)].map((text) => element("li", {}, text)),
          ),
          json(policy),
        ),
      ),
    );
}

const written = (id: string) => JSON.parse(document.getElementById(id)!.textContent!);

const { lang } = document.documentElement;
speak(written("texts"), { language: lang.split("-")[0] as Language, locale: lang }); // html.ts wrote all three
show(written("passport") as Passport);
