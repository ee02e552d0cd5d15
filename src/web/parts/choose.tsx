// A filter: a button that opens a list in which several things can be ticked.
import { Select } from "@base-ui/react/select";

export interface Option<T extends string> {
  readonly value: T;
  readonly label: string;
}

interface Props<T extends string> {
  readonly label: string;
  readonly options: readonly Option<T>[];
  readonly chosen: readonly T[];
  readonly onChange: (chosen: T[]) => void;
}

export function Choose<T extends string>({ label, options, chosen, onChange }: Props<T>) {
  return (
    <Select.Root
      multiple
      items={options}
      value={[...chosen]}
      onValueChange={(value) => onChange(value as T[])}
    >
      <Select.Trigger className="choose" aria-label={`${label}: ${summary(options, chosen)}`}>
        <span className="soft">{label}</span>
        <Select.Value className="choose-value">{() => summary(options, chosen)}</Select.Value>
        <Select.Icon className="choose-icon">
          <svg viewBox="0 0 12 12" width="10" height="10" aria-hidden="true">
            <path d="M2 4l4 4 4-4" />
          </svg>
        </Select.Icon>
      </Select.Trigger>
      <Select.Portal>
        <Select.Positioner className="popup-place" sideOffset={6} align="start" alignItemWithTrigger={false}>
          <Select.Popup className="popup choices">
            <Select.List aria-label={label}>
              {options.map((option) => (
                <Select.Item key={option.value} value={option.value} className="choice">
                  <span className="tick" aria-hidden="true">
                    <Select.ItemIndicator>✓</Select.ItemIndicator>
                  </span>
                  <Select.ItemText>{option.label}</Select.ItemText>
                </Select.Item>
              ))}
            </Select.List>
          </Select.Popup>
        </Select.Positioner>
      </Select.Portal>
    </Select.Root>
  );
}

function summary<T extends string>(options: readonly Option<T>[], chosen: readonly T[]): string {
  if (chosen.length === 0) return "All";
  const first = options.find(({ value }) => value === chosen[0])?.label ?? "1";
  return chosen.length === 1 ? first : `${first} +${chosen.length - 1}`;
}
