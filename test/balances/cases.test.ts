// Tests of other systems and examples of statutes give the same results here (cases/). Their number is written down, so that a case
// that is lost shows up.
import { describe, expect, test } from "bun:test";
import { compareCase, type Suite } from "./cases/case.ts";
import { FRAPPE } from "./cases/frappe.ts";
import { ODOO } from "./cases/odoo.ts";
import { OFFICES } from "./cases/offices.ts";
import { ORANGEHRM } from "./cases/orangehrm.ts";
import { PUBLISHED } from "./cases/published.ts";
import { STATUTES } from "./cases/statutes.ts";
import { TIMEOFF_MANAGEMENT } from "./cases/timeoff-management.ts";
import { URLAUBSVERWALTUNG } from "./cases/urlaubsverwaltung.ts";

interface Counts {
  readonly right: number;
  readonly waiting: number;
  readonly unsayable: number;
}

function suite(name: string, { cases, unsayable }: Suite, counts: Counts): void {
  describe(name, () => {
    const ready = cases;
    test.each(ready.map((row) => [[row.source, row.title ?? ""].join(" "), row] as const))("%s", (_, row) => {
      const { expected, shown } = compareCase(row);
      expect(shown).toEqual(expected);
    });

    test("counts", () => {
      const waiting = cases.length - ready.length;
      expect({ right: ready.length, waiting, unsayable: unsayable.length }).toEqual(counts);
    });
  });
}

suite("Odoo", ODOO, { right: 58, waiting: 0, unsayable: 5 });
suite("Frappe HR", FRAPPE, { right: 49, waiting: 0, unsayable: 4 });
suite("Urlaubsverwaltung", URLAUBSVERWALTUNG, { right: 51, waiting: 0, unsayable: 0 });
suite("TimeOff.Management", TIMEOFF_MANAGEMENT, { right: 18, waiting: 0, unsayable: 0 });
suite("OrangeHRM", ORANGEHRM, { right: 5, waiting: 0, unsayable: 0 });
suite("statutes", STATUTES, { right: 92, waiting: 0, unsayable: 10 });
suite("offices and companies", OFFICES, { right: 21, waiting: 0, unsayable: 4 });
suite("published examples", PUBLISHED, { right: 30, waiting: 0, unsayable: 3 });
