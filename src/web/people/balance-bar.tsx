// A balance as one bar: what was used, what is held by pending requests, what is available, what is still locked.
import type { Balance, Policy } from "../../client/index.ts";
import { amount } from "../time/format.ts";

interface Props {
  readonly balance: Balance;
  readonly unit: Policy["unit"];
}

export function BalanceBar({ balance, unit }: Props) {
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
