// The pull files that Rollcall brings along, one for each system whose API is publicly described (docs/presets.md). The mapping of the
// same name reads what they write.
import type { JsonObject } from "../json-file.ts";
import bamboohr from "./presets/bamboohr.json" with { type: "json" };
import factorial from "./presets/factorial.json" with { type: "json" };
import frappe from "./presets/frappe.json" with { type: "json" };
import gusto from "./presets/gusto.json" with { type: "json" };
import hibob from "./presets/hibob.json" with { type: "json" };
import odoo from "./presets/odoo.json" with { type: "json" };
import personio from "./presets/personio.json" with { type: "json" };
import personioV2 from "./presets/personio-v2.json" with { type: "json" };
import warp from "./presets/warp.json" with { type: "json" };

export const PULL_PRESETS: Readonly<Record<string, JsonObject>> = {
  bamboohr,
  factorial,
  frappe,
  gusto,
  hibob,
  odoo,
  personio,
  "personio-v2": personioV2,
  warp,
};
