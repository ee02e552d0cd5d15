// What the colours and patterns of the timeline mean.
import type { TimeOffType } from "../parts/tones.ts";

export function Legend({ types }: { readonly types: readonly TimeOffType[] }) {
  return (
    <ul className="legend small" aria-label="Legend">
      {types.map(({ id, name, tone }) => (
        <li key={id}>
          <span className={`swatch ${tone}`} aria-hidden="true" />
          {name}
        </li>
      ))}
      <li>
        <span className="swatch tone-none pending" aria-hidden="true" />
        Pending
      </li>
      <li className="soft">Days and times are each person’s own, in their time zone.</li>
    </ul>
  );
}
