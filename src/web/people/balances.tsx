// A person's policies in a leave year: a bill that adds up, and a line over the year.
import { type ReactNode, useState } from "react";
import type { Assignment, Balance, BalanceEntry, Expiration, Movement, Policy } from "../../client/index.ts";
import { type Day, dayOfText, formatDay } from "../../time/day.ts";
import type { Absence } from "../data/absences.ts";
import { amount, plainDay, plainText, shortRange, signed } from "../data/format.ts";
import { lastTakeable } from "../data/leave-years.ts";
import { useToday } from "../data/queries.ts";
import { useSettings, yearsAfter } from "../data/settings.ts";
import type { TimeOffType } from "../data/time-off-types.ts";
import { figureOf, minutesIn, shownUnit } from "../data/unit.ts";
import { KnownLink, Swatch } from "../parts/people-table.tsx";
import { UnitSwitch } from "../parts/search.tsx";
import { failureOf, Loading } from "../parts/states.tsx";
import { rich } from "../texts/rich.tsx";
import { t } from "../texts/texts.ts";
import { Explanation } from "./explanation.tsx";
import { type AssignedDays, type LeaveYear, type Outlook, type Part, useLeaveYear } from "./leave-year.ts";
import { byDay, isCap, type Loss, lossesText, sumsText } from "./losses.ts";
import { Timeline } from "./timeline.tsx";

interface Props {
  readonly policies: readonly Policy[];
  readonly assignments: readonly Assignment[];
  readonly balances: readonly Balance[];
  /** In order of days. */
  readonly losses: readonly Expiration[];
  /** Movements until the end of today, by policy: `earned` is what would be paid out now. */
  readonly movements: readonly Movement[];
  readonly types: readonly TimeOffType[];
  /** Pending and approved absences. */
  readonly absences: readonly Absence[];
  /** The worker's last day. */
  readonly endDate: string | null;
}

/** The API computes up to ten years ahead, but nobody plans leave that far. */
const MOST_YEARS_AHEAD = 3;

export function Balances(props: Props) {
  const { policies, assignments, balances, losses, movements, types, absences, endDate } = props;
  const today = useToday();
  const { search, change } = useSettings();
  const assignmentOf = new Map(assignments.map((assignment) => [assignment.policyId, assignment]));
  const shown = policies.flatMap((policy) => {
    // The server's day may be ahead of the viewer's: then a balance may open on the viewer's tomorrow.
    const balance = balances.find(
      ({ policyId, openedOn }) => policyId === policy.id && (openedOn ?? "") <= formatDay(today),
    );
    if (balance === undefined) return [];
    const { startsOn, assignedAt, endsOn } = assignmentOf.get(policy.id) ?? {};
    const first = startsOn ?? assignedAt;
    const days = { since: first ? dayOfText(first) : today, until: lastTakeable(endDate, endsOn) };
    return [{ policy, balance, days }];
  });
  // Policies that are paid out, such as vacation, come first, and unlimited ones last.
  const order = ({ policy: { isUnlimited, isPaidOut } }: (typeof shown)[number]) =>
    2 * Number(isUnlimited) - Number(isPaidOut);
  shown.sort((a, b) => order(a) - order(b));
  const yearsBack = Math.max(0, Math.ceil((today - Math.min(...shown.map(({ days }) => days.since))) / 365));
  const offset = Math.max(-yearsBack, Math.min(MOST_YEARS_AHEAD, yearsAfter(search)));
  const hasDays = shown.some(({ policy }) => policy.unit === "day"); // else all are in hours
  const hasBoth = hasDays && shown.some(({ policy }) => policy.unit === "hour");
  const goTo = (next: number) => change({ year: next === 0 ? null : String(next) });

  return (
    <>
      <div className="year">
        {hasDays && <UnitSwitch hasBoth={hasBoth} />}
        <div className="stepper">
          <StepButton
            name={t("leaveYear.previous")}
            isLast={-offset >= yearsBack}
            onStep={() => goTo(offset - 1)}
          >
            ‹
          </StepButton>
          <span aria-live="polite">{yearName(offset)}</span>
          <StepButton
            name={t("leaveYear.next")}
            isLast={offset >= MOST_YEARS_AHEAD}
            onStep={() => goTo(offset + 1)}
          >
            ›
          </StepButton>
        </div>
      </div>
      <ul className="balances">
        {shown.map(({ policy, balance, days }) => (
          <Card
            key={policy.id}
            policy={policy}
            balance={balance}
            losses={losses.filter(({ policyId }) => policyId === policy.id)}
            earned={movements.find(({ policyId }) => policyId === policy.id)?.earned ?? 0}
            absences={absences.filter(({ request }) => request.timeOffPolicyId === policy.id)}
            days={days}
            offset={offset}
            type={types.find(({ id }) => id === policy.timeOffTypeId) ?? null}
          />
        ))}
      </ul>
      {hasDays && <p className="soft small">{t("amount.dayIs")}</p>}
    </>
  );
}

interface StepProps {
  readonly name: string;
  /** Whether there is no further year in this direction. */
  readonly isLast: boolean;
  readonly onStep: () => void;
  readonly children: string;
}

/** Not `disabled` at the end, because a disabled button loses the keyboard's focus. */
function StepButton({ name, isLast, onStep, children }: StepProps) {
  return (
    <button
      type="button"
      aria-label={name}
      aria-disabled={isLast}
      onClick={() => {
        if (!isLast) onStep();
      }}
    >
      {children}
    </button>
  );
}

function yearName(offset: number): string {
  if (offset === 0) return t("leaveYear.this");
  return offset < 0 ? t("leaveYear.ago", { count: -offset }) : t("leaveYear.in", { count: offset });
}

interface CardProps {
  readonly policy: Policy;
  readonly balance: Balance;
  readonly losses: readonly Expiration[];
  /** The minutes that would be paid out if today were the last day. */
  readonly earned: number;
  readonly absences: readonly Absence[];
  readonly days: AssignedDays;
  readonly offset: number;
  readonly type: TimeOffType | null;
}

function Card(props: CardProps) {
  const { policy, balance, absences, days, offset, type } = props;
  const hasPending = absences.some(({ request }) => request.status === "pending");
  const loaded = useLeaveYear(balance, policy, days, offset, hasPending);
  const { year, range, queries } = loaded;
  return (
    <li className="panel balance" aria-busy={year === null}>
      <header>
        <h3>
          <Swatch type={type} />
          <KnownLink href={`/policies/${policy.id}`}>{policy.name}</KnownLink>
        </h3>
        <span className="soft small">{shortRange(range.first, range.end - 1)}</span>
      </header>
      {failureOf(...queries) ??
        (range.end <= days.since ? (
          <p className="soft">{t("leaveYear.before", { day: plainDay(days.since) })}</p>
        ) : year === null ? (
          <Loading what={t("loading.balance")} />
        ) : policy.isUnlimited ? (
          <Unlimited policy={policy} year={year} />
        ) : (
          <Limited {...props} loaded={loaded} year={year} hasPending={hasPending} />
        ))}
    </li>
  );
}

interface LimitedProps extends CardProps {
  readonly loaded: ReturnType<typeof useLeaveYear>;
  readonly year: LeaveYear;
  readonly hasPending: boolean;
}

function Limited({ loaded, year, hasPending, ...card }: LimitedProps) {
  const { policy, losses, earned, days, offset } = card;
  const { outlook, next } = loaded;
  const { unit, isPaidOut } = policy;
  return (
    <Bill
      policy={policy}
      year={year}
      // Somebody who has left can take no more leave. Without a pay-out, nothing is left.
      inYear={outlook?.inYear ?? (offset === 0 && !isPaidOut ? 0 : null)}
      picture={<YearTimeline {...card} loaded={loaded} />}
    >
      {outlook ? (
        <Ahead
          unit={unit}
          outlook={outlook}
          next={next}
          losses={losses}
          hasPending={hasPending}
          requested={-(year.parts.find(({ kind }) => kind === "requested")?.minutes ?? 0)}
          until={days.until}
          owed={isPaidOut ? earned : null}
        />
      ) : (
        // Somebody who has left sees only the amount owed.
        offset === 0 && (
          <p className="small">
            {t("fact", { name: t("figure.owed"), value: amount(isPaidOut ? earned : 0, unit) })}
          </p>
        )
      )}
    </Bill>
  );
}

/** The line over the leave year. While leave can be taken, it goes on over the next year. */
function YearTimeline({
  policy,
  balance,
  absences,
  days,
  type,
  loaded,
}: CardProps & Pick<LimitedProps, "loaded">) {
  const { range, following, outlook, entries, opening } = loaded;
  const shown = outlook === null ? range : { first: range.first, end: following.end };
  return (
    <Timeline
      name={policy.name}
      unit={policy.unit}
      since={days.since}
      range={shown}
      turnOfYear={range.end}
      opening={opening}
      entries={entries}
      absences={absences.filter(({ firstDay, lastDay }) => firstDay < shown.end && lastDay >= shown.first)}
      tone={type?.tone.split(" ")[0] ?? "tone-none"}
      balance={outlook === null ? null : balance}
    />
  );
}

interface YearProps {
  readonly policy: Policy;
  readonly year: LeaveYear;
}

interface BillProps extends YearProps {
  readonly picture: ReactNode;
  /** Minutes that can still be taken; null for other leave years than this one. */
  readonly inYear: number | null;
  readonly children: ReactNode;
}

function Bill({ policy, year, picture, inYear, children }: BillProps) {
  const { unit } = policy;
  const { parts, range } = year;
  const left = parts.at(-1)!.minutes;
  const isOverdrawn = left < 0 && !inYear;
  return (
    <>
      <p className={isOverdrawn ? "balance-now overdrawn" : "balance-now"}>
        {rich(isOverdrawn ? "balance.overdrawn" : inYear === null ? "balance.left" : "balance.canTake", {
          amount: amount(isOverdrawn ? -left : (inYear ?? left), unit),
        })}
      </p>
      {children}
      {picture}
      <Parts
        // The last line of the bill equals the number above it.
        parts={
          inYear === null || amount(inYear, unit) === amount(left, unit)
            ? parts
            : [...parts, { kind: "canTake", minutes: inYear, entries: [] }]
        }
        unit={unit}
        range={range}
      />
    </>
  );
}

interface AheadProps {
  readonly unit: Policy["unit"];
  readonly outlook: Outlook;
  readonly next: BalanceEntry | null;
  readonly losses: readonly Expiration[];
  /** Whether any leave is pending, in any leave year. */
  readonly hasPending: boolean;
  /** The minutes of pending leave in the bill. */
  readonly requested: number;
  /** The last day on which leave can be taken. */
  readonly until: Day;
  /** Minutes; null under a policy that is not paid out. */
  readonly owed: number | null;
}

/** What can be taken now, what is granted next, and what will be lost. */
function Ahead({ unit, outlook, next, losses, hasPending, requested, until, owed }: AheadProps) {
  const isEnding = until < useToday() + 365;
  const { bookedNext, neededNext, lost } = outlook;
  const [capped, lapsing] = [losses.filter(isCap), losses.filter((loss) => !isCap(loss))];
  const sums = byDay(lapsing);
  const ifApproved = byDay(lost.filter((loss) => !isCap(loss)));
  const pendingLosses = hasPending ? lossesIfApproved(sums, ifApproved, unit) : null;
  const facts = [
    requested > 0 && t("balance.pending", { amount: amount(requested, unit) }),
    bookedNext > 0 && t("balance.bookedNext", { amount: amount(bookedNext, unit) }),
    neededNext > 0 && t("balance.neededNext", { amount: amount(neededNext, unit) }),
    next !== null && t("balance.nextGrant", { amount: grantText(next, unit), day: plainText(next.date) }),
    lapsing.length === 0 && pendingLosses === null && !isEnding && t("balance.noLosses"),
    capped.length > 0 && t("balance.capped", { losses: sumsText(byDay(capped), unit, "balance.cut") }),
    owed !== null && t("balance.owed", { amount: amount(owed, unit) }),
  ];
  return (
    <>
      <p className="small">{facts.filter((fact) => fact !== false).join(" ")}</p>
      {isEnding && <p className="small">{t("fact", { name: t("field.lastDay"), value: plainDay(until) })}</p>}
      {lapsing.length > 0 && (
        <p className="notice small">
          {t("balance.losses", { losses: lossesText(sums, unit) })}
          {pendingLosses !== null && ` ${pendingLosses}`}
        </p>
      )}
    </>
  );
}

/** `+ 2 days`, or `+ 2 days (usable from 30 Mar 2027)` if that is later. */
function grantText({ date, minutes, unlocksOn }: BalanceEntry, unit: Policy["unit"]): string {
  const text = signed(minutes, unit);
  const isLocked = unlocksOn !== null && unlocksOn > date;
  return isLocked ? `${text} (${t("entry.locked", { day: plainText(unlocksOn) })})` : text;
}

/** What is lost if pending leave is approved; null if it is the same. */
function lossesIfApproved(losses: readonly Loss[], left: readonly Loss[], unit: Policy["unit"]) {
  if (JSON.stringify(losses) === JSON.stringify(left)) return null;
  return left.length === 0
    ? t("balance.lossesNone")
    : t("balance.lossesPending", { losses: lossesText(left, unit) });
}

function Unlimited({ policy, year }: YearProps) {
  const parts = year.parts.filter(({ kind }) => ["used", "booked", "requested"].includes(kind));
  return (
    <>
      <p className="balance-now">
        <strong>{t("balance.unlimited")}</strong>
      </p>
      <Parts parts={parts} unit={policy.unit} range={year.range} />
    </>
  );
}

const MARKED = ["used", "booked", "requested", "left"];

interface PartsProps {
  readonly parts: readonly Part[];
  readonly unit: Policy["unit"];
  readonly range: LeaveYear["range"];
}

/** The bill. Each line opens its explanation. */
function Parts({ parts, unit, range }: PartsProps) {
  const [open, setOpen] = useState<Part["kind"] | null>(null);
  return (
    <ul className="bill">
      {parts.map((part) => (
        <li key={part.kind} className={`bill-${part.kind}`}>
          <button
            type="button"
            aria-expanded={open === part.kind}
            onClick={() => setOpen(open === part.kind ? null : part.kind)}
          >
            <span>
              {MARKED.includes(part.kind) && (
                <span className={`swatch part-${part.kind}`} aria-hidden="true" />
              )}
              {part.kind === "left"
                ? t("part.leftOn", { day: plainDay(range.end - 1) })
                : t(`part.${part.kind}`)}
            </span>
            <span className="figure">
              {billFigure(part.kind === "entitlement" ? entitled(parts, unit) : part, unit)}
            </span>
          </button>
          {open === part.kind && <Explanation part={part} unit={unit} range={range} />}
        </li>
      ))}
    </ul>
  );
}

/** The first line of the bill absorbs the rounding, so that the shown figures add up. */
function entitled(parts: readonly Part[], unit: Policy["unit"]): Part {
  const figure = ({ minutes }: Part) => figureOf(minutes, shownUnit(unit));
  const [entitlement, ...others] = parts.filter(({ kind }) => kind !== "canTake") as [Part, ...Part[]];
  const left = others.pop()!; // the last line, to which all others add up
  const figures = figure(left) - others.reduce((sum, part) => sum + figure(part), 0);
  return { ...entitlement, minutes: figures * minutesIn(shownUnit(unit)) };
}

/** The first and the last lines of the bill have no sign, unless negative. */
function billFigure({ kind, minutes }: Part, unit: Policy["unit"]): string {
  const isPlain = Math.abs(minutes) < 0.005 || ["entitlement", "left", "canTake"].includes(kind);
  return isPlain && minutes > -0.005 ? amount(Math.abs(minutes), unit) : signed(minutes, unit);
}
