// What a person has of each of their policies in a leave year: a bill that adds up, and a line over the year.
import { type ReactNode, useState } from "react";
import { Link } from "wouter";
import type { Assignment, Balance, BalanceEntry, Expiration, Policy } from "../../client/index.ts";
import { type Day, dayOfText } from "../../time/day.ts";
import { amount, plainDay, plainText, shortRange } from "../data/format.ts";
import { useToday } from "../data/queries.ts";
import { useSettings } from "../data/settings.ts";
import type { TimeOffType } from "../data/time-off-types.ts";
import { failureOf, Loading } from "../parts/states.tsx";
import { BalanceLine } from "./balance-line.tsx";
import { Explanation } from "./explanation.tsx";
import { type LeaveYear, type Part, useLeaveYear } from "./leave-year.ts";
import type { Outlook } from "./outlook.ts";

interface Props {
  readonly policies: readonly Policy[];
  readonly assignments: readonly Assignment[];
  readonly balances: readonly Balance[];
  /** By day. */
  readonly losses: readonly Expiration[];
  readonly types: readonly TimeOffType[];
}

/** The API computes up to ten years ahead; nobody plans leave for so long. */
const MOST_YEARS_AHEAD = 3;

export function Balances({ policies, assignments, balances, losses, types }: Props) {
  const today = useToday();
  const { search, change } = useSettings();
  const assignedOn = new Map(
    assignments.map(({ policyId, startsOn, assignedAt }) => [policyId, dayOfText(startsOn ?? assignedAt)]),
  );
  const shown = policies.flatMap((policy) => {
    const balance = balances.find(({ policyId }) => policyId === policy.id);
    return balance === undefined ? [] : [{ policy, balance, since: assignedOn.get(policy.id) ?? today }];
  });
  shown.sort((a, b) => Number(a.policy.isUnlimited) - Number(b.policy.isUnlimited)); // what is counted comes first
  const yearsBack = Math.max(0, Math.ceil((today - Math.min(...shown.map(({ since }) => since))) / 365));
  const asked = Number.parseInt(search.get("year") ?? "0", 10) || 0; // addresses may hold anything
  const offset = Math.max(-yearsBack, Math.min(MOST_YEARS_AHEAD, asked));
  const goTo = (next: number) => change({ year: next === 0 ? null : String(next) });

  return (
    <>
      <div className="stepper year">
        <StepButton name="Previous leave year" isLast={-offset >= yearsBack} onStep={() => goTo(offset - 1)}>
          ‹
        </StepButton>
        <span aria-live="polite">{yearName(offset)}</span>
        <StepButton
          name="Next leave year"
          isLast={offset >= MOST_YEARS_AHEAD}
          onStep={() => goTo(offset + 1)}
        >
          ›
        </StepButton>
      </div>
      <ul className="balances">
        {shown.map(({ policy, balance, since }) => (
          <Card
            key={policy.id}
            policy={policy}
            balance={balance}
            losses={losses.filter(({ policyId }) => policyId === policy.id)}
            since={since}
            offset={offset}
            tone={types.find(({ id }) => id === policy.timeOffTypeId)?.tone ?? "tone-none"}
          />
        ))}
      </ul>
      {shown.some(({ policy }) => policy.unit === "day") && (
        <p className="soft small">Where amounts are shown in days, a day is eight hours.</p>
      )}
    </>
  );
}

interface StepProps {
  readonly name: string;
  /** Nothing lies beyond. */
  readonly isLast: boolean;
  readonly onStep: () => void;
  readonly children: string;
}

/** Not `disabled` at the end: a disabled button loses the keyboard's focus. */
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
  const near: Record<number, string> = {
    "-1": "Last leave year",
    0: "This leave year",
    1: "Next leave year",
  };
  return near[offset] ?? (offset < 0 ? `${-offset} leave years ago` : `In ${offset} leave years`);
}

interface CardProps {
  readonly policy: Policy;
  readonly balance: Balance;
  readonly losses: readonly Expiration[];
  readonly since: Day;
  readonly offset: number;
  readonly tone: string;
}

function Card({ policy, balance, losses, since, offset, tone }: CardProps) {
  const { year, range, queries, next, outlook } = useLeaveYear(balance, policy, since, offset);
  return (
    <li className="panel balance" aria-busy={year === null}>
      <header>
        <h3>
          <span className={`swatch ${tone}`} aria-hidden="true" />
          <Link href={`/policies/${policy.id}`}>{policy.name}</Link>
        </h3>
        <span className="soft small">{shortRange(range.first, range.end - 1)}</span>
      </header>
      {failureOf(...queries) ??
        (range.end <= since ? (
          <p className="soft">Assigned on {plainDay(since)}, after this leave year.</p>
        ) : year === null ? (
          <Loading what="Loading this balance…" />
        ) : policy.isUnlimited ? (
          <Unlimited policy={policy} year={year} />
        ) : (
          <Bill policy={policy} year={year} since={since} inYear={outlook?.inYear ?? null}>
            {outlook && (
              <Ahead unit={policy.unit} year={year} outlook={outlook} next={next} losses={losses} />
            )}
          </Bill>
        ))}
    </li>
  );
}

interface YearProps {
  readonly policy: Policy;
  readonly year: LeaveYear;
}

interface BillProps extends YearProps {
  readonly since: Day;
  /** Minutes that can still be taken; null in other leave years than this one. */
  readonly inYear: number | null;
  readonly children: ReactNode;
}

function Bill({ policy, year, since, inYear, children }: BillProps) {
  const { unit } = policy;
  const { parts, range } = year;
  const left = parts.at(-1)!.minutes;
  const isOverdrawn = left < 0 && !inYear;
  return (
    <>
      <p className={isOverdrawn ? "balance-now overdrawn" : "balance-now"}>
        <strong>{amount(isOverdrawn ? -left : (inYear ?? left), unit)}</strong>{" "}
        {isOverdrawn ? "overdrawn" : inYear === null ? "left" : "can still be taken in this leave year"}
      </p>
      {children}
      <Bar parts={parts} />
      <Parts parts={parts} unit={unit} range={range} />
      <BalanceLine name={policy.name} unit={unit} since={since} year={year} />
    </>
  );
}

interface AheadProps {
  readonly unit: Policy["unit"];
  readonly year: LeaveYear;
  readonly outlook: Outlook;
  readonly next: BalanceEntry | null;
  readonly losses: readonly Expiration[];
}

/** What can be taken now, what comes next, and what goes. */
function Ahead({ unit, year, outlook, next, losses }: AheadProps) {
  const today = useToday();
  const { canTake, inYear, bookedNext, neededNext } = outlook;
  const now = canTake(today);
  const requested = -(year.parts.find(({ kind }) => kind === "requested")?.minutes ?? 0);
  const facts = [
    now !== inYear && `Today you can take ${amount(now, unit)}.`,
    requested > 0 && `${amount(requested, unit)} of pending requests are taken off.`,
    bookedNext > 0 &&
      `${amount(bookedNext, unit)} more are booked or requested in the next leave year${neededNext > 0 ? `, which needs ${amount(neededNext, unit)} of what is left now` : ""}.`,
    next !== null && `Next: + ${amount(next.minutes, unit)} on ${plainText(next.date)}.`,
  ];
  return (
    <>
      <p className="small">{facts.filter((fact) => fact !== false).join(" ")}</p>
      {losses.length > 0 && (
        <p className="notice small">
          {lossesText(losses, unit)} will be lost unless taken before.
          {requested > 0 && " If pending requests are approved, it may be less."}
        </p>
      )}
    </>
  );
}

/** `184 h on 1 Jan 2027, 40 h on 1 Apr 2027`: a sum for each day. */
function lossesText(losses: readonly Expiration[], unit: Policy["unit"]): string {
  return [...Map.groupBy(losses, ({ date }) => date)]
    .map(([date, own]) => {
      const minutes = own.reduce((sum, loss) => sum + loss.minutes, 0);
      return `${amount(minutes, unit)} on ${plainText(date)}`;
    })
    .join(", ");
}

function Unlimited({ policy, year }: YearProps) {
  const parts = year.parts.filter(({ kind }) => ["used", "booked", "requested"].includes(kind));
  return (
    <>
      <p className="balance-now">
        <strong>Unlimited</strong>
      </p>
      <Parts parts={parts} unit={policy.unit} range={year.range} />
    </>
  );
}

const BAR_KINDS = ["used", "booked", "requested", "left"];

/** How much of what there is in the year is used, booked, requested and left. */
function Bar({ parts }: { readonly parts: readonly Part[] }) {
  const shown = parts.filter(({ kind }) => BAR_KINDS.includes(kind));
  const whole = shown.reduce((sum, { minutes }) => sum + Math.abs(minutes), 0);
  return (
    <div className="balance-bar" aria-hidden="true">
      {whole > 0 &&
        shown.map(({ kind, minutes }) => (
          <span
            key={kind}
            className={`part-${kind}`}
            style={{ width: `${kind === "left" && minutes < 0 ? 0 : (Math.abs(minutes) / whole) * 100}%` }}
          />
        ))}
    </div>
  );
}

interface PartsProps {
  readonly parts: readonly Part[];
  readonly unit: Policy["unit"];
  readonly range: LeaveYear["range"];
}

/** The bill: each line opens its explanation. */
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
              {BAR_KINDS.includes(part.kind) && (
                <span className={`swatch part-${part.kind}`} aria-hidden="true" />
              )}
              {part.kind === "left" ? `Left on ${plainDay(range.end - 1)}` : part.name}
            </span>
            <span className="figure">{signed(part, unit)}</span>
          </button>
          {open === part.kind && <Explanation part={part} unit={unit} range={range} />}
        </li>
      ))}
    </ul>
  );
}

/** The first and the last line of the bill have no sign. */
function signed({ kind, minutes }: Part, unit: Policy["unit"]): string {
  const text = amount(Math.abs(minutes), unit);
  if (Math.abs(minutes) < 0.005) return text;
  if (minutes < 0) return `− ${text}`;
  return kind === "entitlement" || kind === "left" ? text : `+ ${text}`;
}
