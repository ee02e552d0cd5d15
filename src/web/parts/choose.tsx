// A filter: a button that opens a list with checkboxes.
import { Combobox } from "@base-ui/react/combobox";
import { fold } from "../../fold.ts";
import { number } from "../data/format.ts";
import { t } from "../texts/texts.ts";

export interface Option<T extends string> {
  readonly value: T;
  readonly label: string;
}

interface ChooseProps<T extends string> {
  readonly label: string;
  readonly options: readonly Option<T>[];
  readonly chosen: readonly T[];
  readonly onChange: (chosen: T[]) => void;
  /** The button's text for the choice; by default the chosen labels. */
  readonly summary?: string;
}

export default function Choose<T extends string>({
  label,
  options,
  chosen,
  onChange,
  summary,
}: ChooseProps<T>) {
  const shown = summary ?? chosenLabels(options, chosen);
  return (
    <Combobox.Root
      multiple
      items={options}
      value={options.filter(({ value }) => chosen.includes(value))}
      onValueChange={(values: Option<T>[]) => onChange(values.map(({ value }) => value))}
      filter={(option: Option<T>, query: string) => fold(option.label).includes(fold(query))}
    >
      <Combobox.Trigger className="choose" aria-label={t("fact", { name: label, value: shown })}>
        <span className="soft">{label}</span>
        <bdi className="choose-value">{shown}</bdi>
        <Combobox.Icon className="choose-icon">
          <svg viewBox="0 0 12 12" width="10" height="10" aria-hidden="true">
            <path d="M2 4l4 4 4-4" />
          </svg>
        </Combobox.Icon>
      </Combobox.Trigger>
      <Combobox.Portal>
        <Combobox.Positioner className="popup-layer" sideOffset={6} align="start" collisionPadding={8}>
          <Combobox.Popup className="popup choices" aria-label={label}>
            {/* Shown for short lists, too, because the arrow keys work only in this field. */}
            <Combobox.Input
              className="choices-search"
              placeholder={t("choose.find")}
              aria-label={t("fact", { name: label, value: t("choose.find") })}
            />
            <Combobox.Empty className="choices-empty soft">{t("choose.none")}</Combobox.Empty>
            <Combobox.List className="choices-list">
              {(option: Option<T>) => (
                <Combobox.Item key={option.value} value={option} className="choice">
                  <span className="tick" aria-hidden="true">
                    <Combobox.ItemIndicator>✓</Combobox.ItemIndicator>
                  </span>
                  <bdi>{option.label}</bdi>
                </Combobox.Item>
              )}
            </Combobox.List>
          </Combobox.Popup>
        </Combobox.Positioner>
      </Combobox.Portal>
    </Combobox.Root>
  );
}

/** The labels of the chosen options. Unknown ones, which an address may have, are left out. */
function chosenLabels<T extends string>(options: readonly Option<T>[], chosen: readonly T[]): string {
  if (chosen.length === 0) return t("choose.all");
  const [first, ...others] = options.filter(({ value }) => chosen.includes(value));
  if (first === undefined) return t("choose.chosen", { count: number(chosen.length) });
  return others.length === 0 ? first.label : `${first.label} +${number(others.length)}`;
}
