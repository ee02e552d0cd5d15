// What a person has of each of their policies, as a bar and as a line over the year.
import { useState } from "react";
import { Link } from "wouter";
import type { Assignment, Balance, Policy, Worker } from "../../client/index.ts";
import { type Day, dateOf, dayOfText } from "../../time/day.ts";
import { amount, plainDay } from "../data/format.ts";
import { useToday } from "../data/queries.ts";
import type { TimeOffType } from "../data/time-off-types.ts";
import { BalanceLine } from "./balance-line.tsx";
import { useBalanceYear } from "./balance-year.ts";

interface Props {
  readonly worker: Worker;
  readonly policies: readonly Policy[];
  readonly assignments: readonly Assignment[];
  readonly balances: readonly Balance[];
  readonly types: readonly TimeOffType[];
}

const yearOf = (day: Day) => dateOf(day).year;

export function Balances({ worker, policies, assignments, balances, types }: Props) {
  const today = useToday();
  const [year, setYear] = useState(yearOf(today));
  const lines = useBalanceYear(worker.id, year);
  const assignedOn = new Map(
    assignments.map(({ policyId, assignedAt }) => [policyId, dayOfText(assignedAt)]),
  );
  const shown = policies.flatMap((policy) => {
    const balance = balances.find(({ policyId }) => policyId === policy.id);
    return balance === undefined ? [] : [{ policy, balance, since: assignedOn.get(policy.id) ?? today }];
  });
  shown.sort((a, b) => Number(a.policy.isUnlimited) - Number(b.policy.isUnlimited)); // what is counted comes first
  const firstYear = Math.min(...shown.map(({ since }) => yearOf(since)), yearOf(today));

  return (
    <>
      {shown.some(({ policy }) => !policy.isUnlimited) && (
        <div className="stepper year">
          <button
            type="button"
            aria-label="Previous year"
            disabled={year <= firstYear}
            onClick={() => setYear(year - 1)}
          >
            ‹
          </button>
          <span aria-live="polite">{year}</span>
          <button
            type="button"
            aria-label="Next year"
            disabled={year > yearOf(today)}
            onClick={() => setYear(year + 1)}
          >
            ›
          </button>
        </div>
      )}
      <ul className="balances">
        {shown.map(({ policy, balance, since }) => (
          <li key={policy.id} className="panel">
            <h3>
              <span
                className={`swatch ${types.find(({ id }) => id === policy.timeOffTypeId)?.tone ?? "tone-none"}`}
                aria-hidden="true"
              />
              <Link href={`/policies/${policy.id}`}>{policy.name}</Link>
            </h3>
            {policy.isUnlimited ? (
              <Unlimited balance={balance} policy={policy} />
            ) : (
              <>
                <BalanceBar balance={balance} unit={policy.unit} />
                <BalanceLine
                  name={policy.name}
                  unit={policy.unit}
                  year={year}
                  since={since}
                  line={lines.get(policy.id)}
                />
              </>
            )}
            <p className="soft small">
              Since {plainDay(since)}.{" "}
              {!policy.isUnlimited &&
                "The bar counts leave that is booked for later; the line counts it when it comes."}
            </p>
          </li>
        ))}
      </ul>
      {shown.some(({ policy }) => policy.unit === "day") && (
        <p className="soft small">Where amounts are shown in days, a day is eight hours.</p>
      )}
    </>
  );
}

function Unlimited({ balance, policy }: { readonly balance: Balance; readonly policy: Policy }) {
  return (
    <p>
      Unlimited. Used {amount(balance.used, policy.unit)}
      {balance.holds > 0 && `, and ${amount(balance.holds, policy.unit)} asked for`}.
    </p>
  );
}

interface BarProps {
  readonly balance: Balance;
  readonly unit: Policy["unit"];
}

/** A balance as one bar: used, held by pending requests, available, still locked. */
function BalanceBar({ balance, unit }: BarProps) {
  const { used, holds, available, accruedLocked, accruedUnlocked } = balance;
  const whole = Math.max(accruedUnlocked + accruedLocked, used + holds, 1);
  const parts = [
    { kind: "used", name: "Used", minutes: used },
    { kind: "held", name: "Held", minutes: holds },
    { kind: "available", name: available < 0 ? "Overdrawn" : "Available", minutes: available },
    { kind: "locked", name: "Locked", minutes: accruedLocked },
  ];
  return (
    <div className="balance">
      <p className={available < 0 ? "balance-now overdrawn" : "balance-now"}>
        <strong>{amount(available, unit)}</strong> {available < 0 ? "overdrawn" : "available"}
      </p>
      <div className="balance-bar" aria-hidden="true">
        {parts.map(({ kind, minutes }) => (
          <span
            key={kind}
            className={`part-${kind}`}
            style={{ width: `${(Math.max(0, minutes) / whole) * 100}%` }}
          />
        ))}
      </div>
      <dl className="balance-parts small">
        {parts.map(({ kind, name, minutes }) => (
          <div key={kind}>
            <dt>
              <span className={`swatch part-${kind}`} aria-hidden="true" />
              {name}
            </dt>
            <dd>{amount(minutes, unit)}</dd>
          </div>
        ))}
      </dl>
    </div>
  );
}
