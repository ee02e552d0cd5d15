// A worker: name, addresses, site, position, manager, first and last day.
import { type Day, formatDay } from "../time/day.ts";
import siteData from "./data/sites.json";
import { AddressBook, type PersonName, personName } from "./names.ts";
import { contractorPosts, employeePost, Hierarchy } from "./positions.ts";
import { Random, slots, streams } from "./random.ts";

/** A place of work. Sites lie on both sides of the date line and in half-hour zones. Their clocks change at midnight (Cairo) or never. */
export interface Site {
  city: string;
  /** ISO 3166 code. */
  country: string;
  timeZone: string;
  /** South of the equator: the long holidays are in December and January. */
  isSouthern: boolean;
  /** Weekdays off, 0 Monday to 6 Sunday. */
  weekend: readonly number[];
  /** Legal forms of businesses there, which follow the owner's family name. */
  legalForms: readonly string[];
  /** The cultures of names there, each repeated by its weight. */
  cultures: readonly string[];
}

const siteDefaults = { isSouthern: false, weekend: [5, 6], legalForms: ["& Partners", "Services"] };

/** One hundred slots; a larger site has more of them. */
export const siteSlots: readonly Site[] = slots(
  siteData.map(({ cultures, weight, ...site }) => [
    { ...siteDefaults, ...site, cultures: slots(Object.entries(cultures)) },
    weight,
  ]),
);

interface Role {
  type: "employee" | "contractor";
  isBusiness: boolean;
  status: "onboarding" | "active" | "offboarding" | "inactive";
}

export interface Worker extends Role {
  index: number;
  legacyId: string;
  businessName: string | null;
  name: PersonName;
  email: string;
  workEmail: string | null;
  position: string;
  startDay: Day;
  /** The last day; null if unknown. */
  endDay: Day | null;
  timeZone: string | null;
  site: Site;
  /** Weekdays, 0 Monday to 6 Sunday: the site's weekend, and one more day for part-time workers. */
  daysOff: readonly number[];
  department: string | null;
  location: string | null;
  /** The manager's legacy id; null only for the chief executive. */
  managerId: string | null;
}

// Ninety-seven slots. That and the one hundred of sites have no common factor, so every combination occurs.
const roleSlots = slots<Role>([
  [{ type: "employee", isBusiness: false, status: "active" }, 66],
  [{ type: "employee", isBusiness: false, status: "onboarding" }, 2],
  [{ type: "employee", isBusiness: false, status: "offboarding" }, 2],
  [{ type: "employee", isBusiness: false, status: "inactive" }, 15],
  [{ type: "contractor", isBusiness: false, status: "active" }, 7],
  [{ type: "contractor", isBusiness: false, status: "onboarding" }, 1],
  [{ type: "contractor", isBusiness: false, status: "inactive" }, 1],
  [{ type: "contractor", isBusiness: true, status: "active" }, 2],
  [{ type: "contractor", isBusiness: true, status: "inactive" }, 1],
]);
const founder: Role = { type: "employee", isBusiness: false, status: "active" };

/** Deals sites and roles like cards, so that even a small company has some of each. */
export class Roster {
  readonly #seed: number;
  readonly #today: Day;
  readonly #addresses = new AddressBook();
  readonly #hierarchy = new Hierarchy();
  readonly #sites: readonly Site[];
  readonly #roles: readonly Role[];

  constructor(seed: number, today: Day) {
    const random = new Random(seed, streams.roster, 0);
    this.#seed = seed;
    this.#today = today;
    this.#sites = random.shuffled(siteSlots);
    this.#roles = random.shuffled(roleSlots);
  }

  /** The worker with this index, from 0. Call it in ascending order, because namesakes are numbered. */
  worker(index: number): Worker {
    const random = new Random(this.#seed, streams.workers, index);
    const site = this.#sites[index % this.#sites.length]!;
    const role = index === 0 ? founder : this.#roles[index % this.#roles.length]!;
    const isEmployee = role.type === "employee";
    const legacyId = `E${String(index + 1).padStart(5, "0")}`;
    const name = personName(random.pick(site.cultures), random);
    const businessName = role.isBusiness ? `${name.lastName} ${random.pick(site.legalForms)}` : null;
    const email = role.isBusiness
      ? this.#addresses.businessEmail(name)
      : this.#addresses.personalEmail(name, random);
    const workEmail = isEmployee || random.chance(0.5) ? this.#addresses.workEmail(name) : null;
    const post = isEmployee ? employeePost(index, random) : random.pick(contractorPosts);
    const dates = employment(role, index, this.#today, random);
    const timeZone = random.chance(isEmployee ? 0.015 : 0.08) ? null : site.timeZone;
    const isRemote = random.chance(isEmployee ? 0.06 : 0.5);
    const managerId = this.#hierarchy.managerOf(legacyId, post, isEmployee && role.status === "active");
    return {
      index,
      legacyId,
      ...role,
      businessName,
      name,
      email,
      workEmail,
      ...post,
      ...dates,
      timeZone,
      site,
      daysOff: isEmployee ? daysOff(site, new Random(this.#seed, streams.weeks, index)) : site.weekend,
      location: isRemote ? "Remote" : site.city,
      managerId,
    };
  }
}

/** One employee in ten works four days a week. */
function daysOff({ weekend }: Site, random: Random): readonly number[] {
  if (!random.chance(0.1)) return weekend;
  const worked = [0, 1, 2, 3, 4].filter((weekday) => !weekend.includes(weekday));
  return [random.pick(worked), ...weekend].sort((a, b) => a - b);
}

function employment({ type, status }: Role, index: number, today: Day, random: Random) {
  if (status === "onboarding") return { startDay: today + random.whole(3, 75), endDay: null };
  // Exponential: most joined in recent years, and few at the beginning.
  const meanDays = type === "employee" ? 1500 : 600;
  const isFounder = index < 4;
  const tenureDays = isFounder
    ? random.whole(4000, 4600)
    : Math.min(6500, Math.round(20 - meanDays * Math.log(1 - random.fraction())));
  if (status === "active") return { startDay: today - tenureDays, endDay: null };
  if (status === "offboarding") return { startDay: today - tenureDays, endDay: today + random.whole(2, 60) };
  const endDay = today - random.whole(1, 1000);
  return { startDay: endDay - tenureDays, endDay };
}

export function workerRow(worker: Worker) {
  const { name, startDay, endDay } = worker;
  return {
    legacyId: worker.legacyId,
    type: worker.type,
    isBusiness: worker.isBusiness,
    businessName: worker.businessName,
    firstName: name.firstName,
    lastName: name.lastName,
    preferredName: name.preferredName,
    displayName: worker.isBusiness ? null : name.displayName,
    email: worker.email,
    workEmail: worker.workEmail,
    position: worker.position,
    status: worker.status,
    startDate: formatDay(startDay),
    endDate: endDay === null ? null : formatDay(endDay),
    timeZone: worker.timeZone,
    department: worker.department,
    location: worker.location,
    managerId: worker.managerId,
    workDays: isUsualWeek(worker) ? "Mon-Fri" : null,
  };
}

const WEEKEND = [5, 6];

/** Whether the worker works from Monday to Friday. Others have a schedule. */
export function isUsualWeek({ daysOff }: Worker): boolean {
  return daysOff.join() === WEEKEND.join();
}
