// One worker: name, addresses, site, position, first and last day.

import type { CsvRow } from "../../csv-file.ts";
import { type Day, formatDay } from "../../time/day.ts";
import { Random, slots } from "../random.ts";
import { type PersonName, personName } from "./names.ts";
import { contractorPosition, departmentOf, employeePosition, isLead, isSenior } from "./positions.ts";
import { type Site, siteSlots } from "./sites.ts";

export const workerColumns = [
  "legacyId",
  "type",
  "isBusiness",
  "businessName",
  "firstName",
  "lastName",
  "preferredName",
  "displayName",
  "email",
  "workEmail",
  "position",
  "status",
  "startDate",
  "endDate",
  "timeZone",
  "department",
  "location",
  "managerId",
] as const;

type Status = "onboarding" | "active" | "offboarding" | "inactive";

export interface Worker {
  index: number;
  legacyId: string;
  type: "employee" | "contractor";
  isBusiness: boolean;
  businessName: string | null;
  name: PersonName;
  email: string;
  workEmail: string | null;
  position: string;
  status: Status;
  startDay: Day;
  /** The last day, where one is known. */
  endDay: Day | null;
  timeZone: string | null;
  site: Site;
  department: string | null;
  location: string | null;
  /** The legacy id of the manager; null for the chief executive alone. */
  managerId: string | null;
}

interface Role {
  type: Worker["type"];
  isBusiness: boolean;
  status: Status;
}

const employee = (status: Status): Role => ({ type: "employee", isBusiness: false, status });
const contractor = (status: Status): Role => ({ type: "contractor", isBusiness: false, status });
const business = (status: Status): Role => ({ type: "contractor", isBusiness: true, status });

// Ninety-seven, against one hundred places: having no common factor, they meet in every combination.
const roleSlots = slots([
  [employee("active"), 66],
  [employee("onboarding"), 2],
  [employee("offboarding"), 2],
  [employee("inactive"), 15],
  [contractor("active"), 7],
  [contractor("onboarding"), 1],
  [contractor("inactive"), 1],
  [business("active"), 2],
  [business("inactive"), 1],
]);

/** Share of workers who are contractors. */
export const contractorShare =
  roleSlots.filter(({ type }) => type === "contractor").length / roleSlots.length;

const latin = /^[\p{Script=Latin} '.-]+$/u;

/**
 * Mail addresses, all under domains reserved for examples (RFC 2606). Of two namesakes, who comes later gets a number.
 */
export class AddressBook {
  // One entry per pair of names on the lists, so it does not grow with the company.
  readonly #namesakes = new Map<string, number>();

  /** The address at the company: unique within it. */
  workEmail(name: PersonName): string {
    return `${this.#numbered(`${name.asciiFirst}.${name.asciiLast}`)}@example.com`;
  }

  /** The private address: some carry a tag, some are written in the owner's own script. */
  personalEmail(name: PersonName, random: Random): string {
    const domain = random.chance(0.6) ? "example.org" : "mail.example.net";
    const style = random.fraction();
    if (style < 0.04) return `${this.#numbered(`${name.asciiFirst}.${name.asciiLast}+work`)}@${domain}`;
    if (style < 0.08 && (latin.test(name.lastName) || style < 0.055)) {
      const own = `${name.firstName}.${name.lastName}`.toLowerCase().replace(/[\s'.]+/g, ".");
      return `${this.#numbered(own.normalize("NFC"))}@${domain}`;
    }
    if (style < 0.5) return `${this.#numbered(`${name.asciiFirst[0]}${name.asciiLast}`)}@${domain}`;
    return `${this.#numbered(`${name.asciiFirst}_${name.asciiLast}`)}@${domain}`;
  }

  /** The address of a business. */
  businessEmail(name: PersonName): string {
    return `hello@${this.#numbered(name.asciiLast)}.example.net`;
  }

  #numbered(local: string): string {
    const before = this.#namesakes.get(local) ?? 0;
    this.#namesakes.set(local, before + 1);
    return before === 0 ? local : `${local}${before + 1}`;
  }
}

/** Sites and roles are dealt like cards, so that even a small company has some of each. */
export class Roster {
  readonly #seed: number;
  readonly #today: Day;
  readonly #addresses: AddressBook;
  readonly #sites: readonly Site[];
  readonly #roles: readonly Role[];
  readonly #hierarchy = new Hierarchy();

  constructor(seed: number, today: Day, addresses: AddressBook) {
    const random = new Random(seed, streams.roster, 0);
    this.#seed = seed;
    this.#today = today;
    this.#addresses = addresses;
    this.#sites = random.shuffled(siteSlots);
    this.#roles = random.shuffled(roleSlots);
  }

  /** The worker of that index, counted from 0. Ask for them in order: namesakes get their numbers by it. */
  worker(index: number): Worker {
    const random = new Random(this.#seed, streams.workers, index);
    const site = this.#sites[index % this.#sites.length]!;
    const role = index === 0 ? employee("active") : this.#roles[index % this.#roles.length]!;
    const isEmployee = role.type === "employee";
    const name = personName(random.pick(site.cultures), random);
    const worker = {
      index,
      legacyId: `E${String(index + 1).padStart(5, "0")}`,
      ...role,
      businessName: role.isBusiness ? businessName(name, site.country, random) : null,
      name,
      email: role.isBusiness
        ? this.#addresses.businessEmail(name)
        : this.#addresses.personalEmail(name, random),
      workEmail: isEmployee || random.chance(0.5) ? this.#addresses.workEmail(name) : null,
      position: isEmployee ? employeePosition(index, random) : contractorPosition(random),
      ...employment(role, index, this.#today, random),
      timeZone: random.chance(isEmployee ? 0.015 : 0.08) ? null : site.timeZone,
      site,
      department: null,
      location: null,
      managerId: null,
    };
    return { ...worker, ...this.#placement(worker) };
  }

  /** Where the worker is in the organisation. Draws of its own: it came after the others. */
  #placement(worker: Worker) {
    const random = new Random(this.#seed, streams.placement, worker.index);
    const isRemote = random.chance(worker.type === "employee" ? 0.06 : 0.5);
    return {
      department: departmentOf(worker.position),
      location: isRemote ? (worker.type === "employee" ? "Remote" : null) : worker.site.city,
      managerId: this.#hierarchy.managerOf(worker),
    };
  }
}

/** Leads of a department that are remembered: enough for everybody to report to one of them. */
const MOST_LEADS = 1000;
const LEADS_PER_LEAD = 6;

const founderOf: Record<string, string> = {
  Engineering: "Chief Technology Officer",
  Product: "Chief Technology Officer",
  Operations: "Chief Technology Officer",
  Finance: "Chief Financial Officer",
  Legal: "Chief Financial Officer",
  People: "Chief People Officer",
};

/** Who reports to whom: to a lead of the department, a lead to a lead of more, the first of them to a founder. */
class Hierarchy {
  readonly #founders = new Map<string, string>();
  readonly #departments = new Map<string, { leads: string[]; members: number }>();

  /** The legacy id of the worker's manager, who came before the worker. */
  managerOf({ index, legacyId, position, status, type }: Worker): string | null {
    const isStaying = type === "employee" && status === "active";
    const name = departmentOf(position) ?? "Operations";
    if (name === "Executive") {
      if (isStaying) this.#founders.set(position, legacyId);
      return index === 0 ? null : this.#founder("Chief Executive Officer");
    }
    const department = this.#departments.get(name) ?? { leads: [], members: 0 };
    this.#departments.set(name, department);
    const { leads } = department;
    const founder = this.#founder(founderOf[name] ?? "Chief Executive Officer");
    const isNeeded = department.members > 8 * leads.length && isSenior(position);
    if (!isStaying || !(isLead(position) || isNeeded)) {
      department.members++;
      return leads[department.members % leads.length] ?? founder;
    }
    if (leads.length < MOST_LEADS) leads.push(legacyId);
    const own = leads.length - 1;
    return own === 0 ? founder : leads[Math.floor((own - 1) / LEADS_PER_LEAD)]!;
  }

  #founder(title: string): string | null {
    return this.#founders.get(title) ?? this.#founders.get("Chief Executive Officer") ?? null;
  }
}

/** Which draws belong together; the numbers only need to differ. */
export const streams = {
  roster: 0,
  workers: 1,
  leave: 2,
  adjustments: 3,
  workHours: 4,
  placement: 5,
  remote: 6,
} as const;

function employment({ type, status }: Role, index: number, today: Day, random: Random) {
  if (status === "onboarding") return { startDay: today + random.whole(3, 75), endDay: null };
  // Most have come in the last years, few are there from the beginning.
  const meanDays = type === "employee" ? 1500 : 600;
  const tenureDays =
    index < 4 ? random.whole(4000, 4600) : Math.min(6500, 20 - meanDays * Math.log(1 - random.fraction()));
  const startDay = today - Math.round(tenureDays);
  if (status === "active") return { startDay, endDay: null };
  if (status === "offboarding") return { startDay, endDay: today + random.whole(2, 60) };
  const endDay = today - random.whole(1, 1000);
  return { startDay: endDay - Math.round(tenureDays), endDay };
}

const legalForms: Record<string, readonly string[]> = {
  US: ["Consulting, LLC", "Labs, Inc."],
  GB: ["& Daughters Ltd", "Partners LLP"],
  DE: ["Beratung GmbH", "& Söhne UG (haftungsbeschränkt)"],
  ES: ["Asesores, S.L."],
  FR: ["Conseil SARL"],
  BR: ["Serviços Ltda."],
  JP: ["合同会社"],
};

function businessName(name: PersonName, country: string, random: Random): string {
  if (random.chance(0.1)) return `Studio "${name.firstName}"`;
  return `${name.lastName} ${random.pick(legalForms[country] ?? ["& Partners", "Services"])}`;
}

export function workerRow(worker: Worker): CsvRow<typeof workerColumns> {
  return {
    legacyId: worker.legacyId,
    type: worker.type,
    isBusiness: worker.isBusiness,
    businessName: worker.businessName,
    firstName: worker.name.firstName,
    lastName: worker.name.lastName,
    preferredName: worker.name.preferredName,
    displayName: worker.isBusiness ? null : worker.name.displayName,
    email: worker.email,
    workEmail: worker.workEmail,
    position: worker.position,
    status: worker.status,
    startDate: formatDay(worker.startDay),
    endDate: worker.endDay === null ? null : formatDay(worker.endDay),
    timeZone: worker.timeZone,
    department: worker.department,
    location: worker.location,
    managerId: worker.managerId,
  };
}
