// The points of a line as a table, for who cannot see it and who wants the numbers.
import type { Policy } from "../../client/index.ts";
import type { Day } from "../time/days.ts";
import { amount, longDay } from "../time/format.ts";
import type { Point } from "./balance-year.ts";

interface Props {
  readonly unit: Policy["unit"];
  readonly past: readonly Point[];
  readonly projected: readonly Point[];
  readonly today: Day;
}

export function LineTable({ unit, past, projected, today }: Props) {
  const rows = [...past, ...projected.filter(({ day }) => day > today)];
  return (
    <table>
      <thead>
        <tr>
          <th scope="col">Day</th>
          <th scope="col">Balance</th>
        </tr>
      </thead>
      <tbody>
        {rows.map(({ day, minutes }) => (
          <tr key={day}>
            <td>{longDay(day)}</td>
            <td>
              {amount(minutes, unit)}
              {day > today && <span className="soft"> if everything unlocks</span>}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
