// The mappings that Rollcall brings along, one for each system whose exports are publicly described.

export interface Preset {
  readonly name: string;
  /** The system, as its vendor calls it. */
  readonly system: string;
  readonly mapping: Readonly<Record<string, unknown>>;
}

export const PRESETS: readonly Preset[] = [];
