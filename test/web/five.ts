// A company of five, written by hand: its tables can be written down whole. Today is Saturday, 21 November 2026. A day is eight hours.
import { setSystemTime } from "bun:test";
import { importCompany } from "../../src/import/import-company.ts";
import { findSources } from "../../src/import/read/sources.ts";
import { dayOfText } from "../../src/time/day.ts";
import { folderOf } from "../support/import-files.ts";
import { addKey, change } from "../support/stores.ts";
import { type DemoServer, TODAY } from "./demo-server.ts";

/** Twenty days a year, of which five may be carried over until the end of March. */
export const FILES = {
  "workplaces.csv": `
    legacyId,name,timeZone,holidayCalendar
    b,Berlin,Europe/Berlin,Berlin
    l,Lima,America/Lima,Lima`,
  "holidays.csv": `
    calendar,name,date,minutes
    Berlin,Long Monday,2026-11-23,
    Lima,Half Tuesday,2026-11-24,240`,
  "workers.csv": `
    id,legacyId,firstName,lastName,position,email,workEmail,startDate,status,type,isBusiness,timeZone,department,workplaceId,managerId,latestRehireDate
    wrk_ana,1,Ana,Sol,Clerk,ana@home.example,ana@five.example,2026-01-01,active,employee,no,UTC,Sales,b,5,
    wrk_bo,2,Bo,Ray,Clerk,bo@home.example,,2026-01-01,active,employee,no,UTC,Sales,l,5,
    wrk_cem,3,Cem,Ak,Coder,cem@home.example,cem@five.example,2026-01-01,active,employee,no,UTC,IT,b,5,2026-06-01
    wrk_dee,4,Dee,Li,,dee@home.example,dee@five.example,2026-01-01,onboarding,contractor,no,UTC,IT,,5,
    wrk_eve,5,Eve,Noor,Head,eve@home.example,eve@five.example,2026-01-01,active,employee,no,UTC,IT,b,,`,
  "policies.csv": `
    id,name,paid,unit,schedule,minutesPerPeriod,timeOffTypeId,timeOffTypeName,carryoverLimitMinutes,carryoverExpiresAfterMonths
    top_annual,Annual leave,yes,day,yearly,9600,tot_vacation,Vacation,2400,3
    top_sick,Sick leave,yes,day,unlimited,,tot_sick,Sickness,,`,
  "assignments.csv": `
    workerId,policyId,startsOn
    1,top_annual,2026-01-01
    2,top_annual,2026-01-01
    2,top_sick,2026-01-01
    3,top_annual,2026-01-01
    4,top_annual,2026-01-01
    5,top_annual,2026-01-01`,
  "requests.csv": `
    id,workerId,timeOffPolicyId,status,startAt,endAt,requestedMinutes,createdAt
    tor_used,1,top_annual,approved,2026-03-02T00:00:00Z,2026-03-07T00:00:00Z,2400,2026-01-05T08:00:00Z
    tor_booked,1,top_annual,approved,2026-12-21T00:00:00Z,2026-12-24T00:00:00Z,1440,2026-02-05T08:00:00Z
    tor_asked,1,top_annual,pending,2026-11-30T00:00:00Z,2026-12-01T00:00:00Z,480,2026-11-05T08:00:00Z
    tor_july,1,top_annual,approved,2027-07-05T00:00:00Z,2027-07-10T00:00:00Z,2400,2026-11-06T08:00:00Z
    tor_bo,2,top_sick,approved,2026-11-20T00:00:00Z,2026-11-25T00:00:00Z,1440,2026-11-20T08:00:00Z
    tor_cem,3,top_annual,approved,2026-11-24T00:00:00Z,2026-11-26T00:00:00Z,960,2026-10-01T08:00:00Z
    tor_dee,4,top_annual,pending,2026-11-25T00:00:00Z,2026-11-26T00:00:00Z,480,2026-11-02T08:00:00Z
    tor_eve,5,top_annual,pending,2026-11-02T00:00:00Z,2026-11-03T00:00:00Z,480,2026-10-02T08:00:00Z`,
};

/** Adds the company to a server's store; returns a key that may read everything. */
export const addFive = (server: DemoServer, id = "five") => addCompany(server, id, FILES);

/** The same for a company of these files. */
export async function addCompany(
  { store: { writer } }: DemoServer,
  id: string,
  files: Readonly<Record<string, string>>,
): Promise<string> {
  await writer.createCompany({ id, name: "Five", createdAtMs: 0, timeZone: "UTC" });
  const { sources } = await findSources([folderOf(files)], null);
  await importCompany(writer, id, sources, {
    isDryRun: false,
    isPruning: false,
    today: dayOfText(TODAY),
    nowMs: Date.parse(`${TODAY}T05:00:00Z`),
  });
  return addKey(writer, id);
}

/** Five, as imported on 19 November; on the 21st, Ana's leave of March goes. */
export async function addFiveThatChanged(server: DemoServer, id: string): Promise<string> {
  try {
    setSystemTime(new Date("2026-11-19T12:00:00Z"));
    const key = await addFive(server, id);
    setSystemTime(new Date("2026-11-21T05:00:00Z"));
    await change(server.store.writer, id, (one) => one.remove("requests", [["tor_used"]]));
    return key;
  } finally {
    setSystemTime();
  }
}
