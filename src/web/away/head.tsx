// The timeline's title, and the way to other days.
import type { useAwaySettings } from "./settings.ts";

interface Props {
  readonly controls: ReturnType<typeof useAwaySettings>;
  /** The days that are shown. */
  readonly title: string;
}

export function Head({ controls, title }: Props) {
  const { scale } = controls.settings;
  return (
    <div className="head">
      <h1>
        Who is away <span className="head-when">{title}</span>
      </h1>
      <div className="stepper">
        <button type="button" onClick={controls.back} aria-label={`Previous ${scale}`}>
          ‹
        </button>
        <button type="button" onClick={controls.goToday}>
          Today
        </button>
        <button type="button" onClick={controls.forward} aria-label={`Next ${scale}`}>
          ›
        </button>
      </div>
      <fieldset className="segments">
        <legend className="hidden">Scale</legend>
        {(["week", "month"] as const).map((each) => (
          <button
            type="button"
            key={each}
            aria-pressed={scale === each}
            onClick={() => controls.showScale(each)}
          >
            {each === "week" ? "Week" : "Month"}
          </button>
        ))}
      </fieldset>
    </div>
  );
}
