import { test } from "bun:test";
import { readdirSync, writeFileSync, mkdirSync, existsSync, readFileSync } from "node:fs";
import { parse } from "jsonc-parser";
import { draftMapping } from "../../src/import/mapping/draft.ts";
import { candidatesOf } from "../../src/import/source/files.ts";
import { TestCompany } from "../support/import-files.ts";
import { mapFile } from "./mapping/mapped.ts";
import { storedLines } from "./mapping/draft-folders.ts";
const D = "/work/wt/drafts/test/import/drafts";
mkdirSync("/tmp/new", { recursive: true });
const auto = (v: any, k = ""): any => v === "?" ? ({ endDay: "included", hoursPerDay: 8, paid: true, status: "approved", timeOffPolicyId: "PTO", minutes: "days", requestedMinutes: "days", dates: "dd/MM/yyyy", date: "2026-01-01" } as any)[k] ?? "?" : Array.isArray(v) ? v.map((x) => auto(x, k)) : v && typeof v === "object" ? Object.fromEntries(Object.entries(v).map(([k, x]) => [k, auto(x, k)])) : v;
for (const name of readdirSync(D)) if (!process.env.ONLY || name === process.env.ONLY) test(name, async () => {
  let out = "";
  try {
    const draft = await draftMapping(await candidatesOf([`${D}/${name}/export`]));
    writeFileSync(`/tmp/new/${name}.map`, draft.text);
    if (draft.questions.length) out += `   Q ${draft.questions.join("\n   Q ")}\n`;
    const company = await TestCompany.open();
    await company.importFolder(`${D}/${name}/export`, {}, mapFile(auto(parse(draft.text))));
    const now: any = await storedLines(company);
    if (existsSync(`/tmp/base/${name}.json`)) {
      const base = JSON.parse(readFileSync(`/tmp/base/${name}.json`, "utf8"));
      for (const kind of Object.keys(now)) if (kind !== "policies") {
        for (const l of base[kind]) if (!now[kind].includes(l)) out += `   - ${l}\n`;
        for (const l of now[kind]) if (!base[kind].includes(l)) out += `   + ${l}\n`;
      }
    } else out += "   (no base, loads)\n";
  } catch (e: any) { out += `   ERR ${String(e.stack ?? e).slice(0, 600)}\n   base: ${existsSync(`/tmp/base/${name}.json`)}\n`; }
  if (out) console.log(`== ${name}\n${out}`);
});
