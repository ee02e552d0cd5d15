// The presets of Rollcall. A preset is a folder and a line here.
import type { JsonObject } from "../../json-file.ts";
import type { Preset } from "../preset.ts";
import { bamboohr } from "./bamboohr/preset.ts";
import { factorial } from "./factorial/preset.ts";
import { frappe } from "./frappe/preset.ts";
import { gusto } from "./gusto/preset.ts";
import { hibob } from "./hibob/preset.ts";
import { odoo } from "./odoo/preset.ts";
import { personio } from "./personio/preset.ts";
import { personioV2 } from "./personio-v2/preset.ts";
import { sageHr } from "./sage-hr/preset.ts";
import { warp } from "./warp/preset.ts";
import { workday } from "./workday/preset.ts";

export const PRESETS: readonly Preset[] = [
  bamboohr,
  factorial,
  frappe,
  gusto,
  hibob,
  odoo,
  personio,
  personioV2,
  sageHr,
  warp,
  workday,
];

export const PRESET_MAPPINGS: ReadonlyMap<string, JsonObject> = new Map(
  PRESETS.map(({ name, mapping }) => [name, mapping]),
);

export const PRESET_PULL_FILES: ReadonlyMap<string, JsonObject> = new Map(
  PRESETS.flatMap(({ name, pull }) => (pull === null ? [] : [[name, pull]])),
);
