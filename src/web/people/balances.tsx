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
import { type LeaveYear, leftOf, type Part, useLeaveYear } from "./leave-year.ts";

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
  const { year, range, queries, next } = useLeaveYear(balance, policy, since, offset);
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
          <Bill policy={policy} year={year} since={since} today={offset === 0 ? leftOf(balance) : null}>
            {offset === 0 && <Ahead unit={policy.unit} balance={balance} next={next} losses={losses} />}
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
  /** Minutes; null in other leave years than this one. */
  readonly today: number | null;
  readonly children: ReactNode;
}

function Bill({ policy, year, since, today, children }: BillProps) {
  const { unit } = policy;
  const { parts, range } = year;
  const minutes = today ?? parts.at(-1)!.minutes;
  return (
    <>
      <p className={minutes < 0 ? "balance-now overdrawn" : "balance-now"}>
        <strong>{amount(Math.abs(minutes), unit)}</strong> {minutes < 0 ? "overdrawn" : "left"}
        {today !== null && " today"}
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
  readonly balance: Balance;
  readonly next: BalanceEntry | null;
  readonly losses: readonly Expiration[];
}

/** What can be taken now, what comes next, and what goes. */
function Ahead({ unit, balance, next, losses }: AheadProps) {
  return (
    <>
      <p className="small">
        {amount(balance.available, unit)} available now, after all that is booked or asked for.
        {next !== null && ` Next: + ${amount(next.minutes, unit)} on ${plainText(next.date)}.`}
      </p>
      {losses.length > 0 && (
        <p className="notice small">
          {amount(
            losses.reduce((sum, { minutes }) => sum + minutes, 0),
            unit,
          )}{" "}
          will be lost {losses.length === 1 ? "on" : "in the next year, from"} {plainText(losses[0]!.date)}
          {losses.length > 1 && " on,"} unless taken before.
        </p>
      )}
    </>
  );
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
