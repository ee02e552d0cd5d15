// The pull files that Rollcall brings along, one for each system whose API is publicly described (docs/presets.md). The mapping of the
// same name reads what they write.
import type { JsonObject } from "../json-file.ts";
import bamboohr from "./presets/bamboohr.json" with { type: "json" };

export const PULL_PRESETS: Readonly<Record<string, JsonObject>> = {
  bamboohr,
};
