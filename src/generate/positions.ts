// Positions and managers. Each department is a pyramid: many members, few leads.
import data from "./data/positions.json";
import { type Random, slots } from "./random.ts";

export interface Post {
  /** May be empty: not every contractor has a title. */
  position: string;
  department: string | null;
}

const EXECUTIVE = "Executive";
const CHIEF = data.founders[0]!;
/** A department gets a further lead for this many members. */
const MEMBERS_PER_LEAD = 8;
const LEADS_PER_LEAD = 6;

const departmentSlots = slots(
  data.departments.map(({ name: department, weight, positions }) => [
    slots(Object.entries(positions).map(([position, times]) => [{ position, department }, times])),
    weight,
  ]),
);
export const contractorPosts = slots<Post>(
  data.contractors.map(({ position, department, weight }) => [{ position, department }, weight]),
);
const founderOf = new Map(data.departments.map(({ name, founder }) => [name, founder]));

/** The first workers of the company are its founders. */
export function employeePost(index: number, random: Random): Post {
  const founder = data.founders[index];
  return founder === undefined
    ? random.pick(random.pick(departmentSlots))
    : { position: founder, department: EXECUTIVE };
}

/** Whether people with this position have unlimited vacation. */
export function isExecutive(position: string): boolean {
  return /^(Chief|VP|Director)\b/.test(position);
}

function isLead(position: string): boolean {
  return /\b(Manager|Lead|Director|VP|Partner)\b/.test(position) && position !== "Product Manager";
}

/** Whether somebody with this position becomes a lead if the department lacks one. */
function isSenior(position: string): boolean {
  return /^(Senior|Staff)\b/.test(position);
}

/** Assigns managers. Members report to a lead of their department, leads to an earlier lead, and the first lead to a founder. */
export class Hierarchy {
  readonly #founders = new Map<string, string>();
  readonly #departments = new Map<string, { leads: string[]; members: number }>();

  /** The id of the worker's manager, an earlier worker; null for the first worker. Only a worker with `isStaying` may become a manager. */
  managerOf(id: string, { position, department }: Post, isStaying: boolean): string | null {
    if (department === EXECUTIVE) {
      const chief = this.#founders.get(CHIEF) ?? null;
      if (isStaying) this.#founders.set(position, id);
      return chief;
    }
    const name = department ?? "Operations";
    const team = this.#departments.get(name) ?? { leads: [], members: 0 };
    this.#departments.set(name, team);
    const founder = this.#founders.get(founderOf.get(name)!) ?? this.#founders.get(CHIEF)!;
    const isNeeded = isSenior(position) && team.members > MEMBERS_PER_LEAD * team.leads.length;
    if (isStaying && (isLead(position) || isNeeded)) {
      const before = team.leads.length;
      team.leads.push(id);
      return before === 0 ? founder : team.leads[Math.floor((before - 1) / LEADS_PER_LEAD)]!;
    }
    team.members++;
    return team.leads[team.members % team.leads.length] ?? founder;
  }
}
