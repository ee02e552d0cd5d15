// What the line says where the pointer is: the nearest point, its day and its amount.
import type { Policy } from "../../client/index.ts";
import { amount, plainDay } from "../time/format.ts";
import type { Point } from "./balance-year.ts";

interface Props {
  readonly point: Point;
  readonly unit: Policy["unit"];
  readonly isProjected: boolean;
  readonly x: number;
  readonly y: number;
  /** Of the whole drawing; the words stay inside. */
  readonly width: number;
  readonly top: number;
  readonly bottom: number;
}

export function LineProbe({ point, unit, isProjected, x, y, width, top, bottom }: Props) {
  const isRight = x > width / 2;
  return (
    <g className="probe">
      <line x1={x} x2={x} y1={top} y2={bottom} />
      <circle cx={x} cy={y} r="4" />
      <text x={isRight ? x - 8 : x + 8} y={bottom - 8} textAnchor={isRight ? "end" : "start"}>
        {plainDay(point.day)}: {amount(point.minutes, unit)}
        {isProjected && " if everything unlocks"}
      </text>
    </g>
  );
}

/** The point whose place is nearest to `x`, if there is any. */
export function nearest(
  points: readonly Point[],
  placeOf: (point: Point) => number,
  x: number,
): Point | null {
  let best: Point | null = null;
  for (const point of points) {
    if (best === null || Math.abs(placeOf(point) - x) < Math.abs(placeOf(best) - x)) best = point;
  }
  return best;
}
