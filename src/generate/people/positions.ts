// Positions: departments by size, and in each a pyramid from many to few.

import { type Random, slots } from "../random.ts";

interface Department {
  readonly name: string;
  readonly weight: number;
  /** Titles, each as often as its weight. */
  readonly ladder: readonly (readonly [title: string, weight: number])[];
}

const departments: readonly Department[] = [
  {
    name: "Engineering",
    weight: 34,
    ladder: [
      ["Software Engineer", 44],
      ["Senior Software Engineer", 30],
      ["QA Engineer", 8],
      ["Site Reliability Engineer", 6],
      ["Staff Engineer", 5],
      ["Engineering Manager", 5],
      ["Director of Engineering", 1],
      ["VP Engineering", 1],
    ],
  },
  {
    name: "Product",
    weight: 9,
    ladder: [
      ["Product Designer", 40],
      ["Product Manager", 35],
      ["Senior Product Manager", 15],
      ["UX Researcher", 7],
      ["Director of Product", 3],
    ],
  },
  {
    name: "Sales",
    weight: 17,
    ladder: [
      ["Sales Development Representative", 35],
      ["Account Executive", 35],
      ["Senior Account Executive", 15],
      ["Sales Engineer", 8],
      ["Regional Sales Manager", 5],
      ["Director of Sales, EMEA", 1],
      ["VP Sales", 1],
    ],
  },
  {
    name: "Support",
    weight: 14,
    ladder: [
      ["Support Specialist", 60],
      ["Senior Support Specialist", 25],
      ["Support Team Lead", 12],
      ["Director of Support", 3],
    ],
  },
  {
    name: "Marketing",
    weight: 8,
    ladder: [
      ["Marketing Specialist", 50],
      ["Content Strategist", 25],
      ["Marketing Manager", 20],
      ["Director of Marketing", 5],
    ],
  },
  {
    name: "Finance",
    weight: 6,
    ladder: [
      ["Accountant", 50],
      ["Financial Analyst", 30],
      ["Payroll Specialist", 12],
      ["Finance Manager", 5],
      ["Director of Finance", 3],
    ],
  },
  {
    name: "People",
    weight: 5,
    ladder: [
      ["Recruiter", 45],
      ["People Partner", 35],
      ["People Operations Manager", 16],
      ["Director of People", 4],
    ],
  },
  {
    name: "Operations",
    weight: 5,
    ladder: [
      ["Office Coordinator", 60],
      ["IT Administrator", 25],
      ["Facilities Manager", 15],
    ],
  },
  {
    name: "Legal",
    weight: 2,
    ladder: [
      ["Counsel", 60],
      ["Paralegal", 30],
      ["Senior Counsel, Privacy & Compliance", 10],
    ],
  },
];

const ladders = slots(departments.map(({ weight, ladder }) => [slots(ladder), weight] as const));

/** Held by the first workers of the company, in this order. */
const founders = [
  "Chief Executive Officer",
  "Chief Technology Officer",
  "Chief Financial Officer",
  "Chief People Officer",
];

const contracted = slots([
  ["Software Engineer (contract)", 8],
  ["Translator", 3],
  ["Copywriter", 3],
  ["Illustrator", 2],
  ["Bookkeeper", 2],
  ['Event photographer ("as needed")', 1],
  ["Security auditor", 2],
  ["", 2],
]);

const contractedFor: Record<string, string> = {
  "Software Engineer (contract)": "Engineering",
  Translator: "Marketing",
  Copywriter: "Marketing",
  Illustrator: "Marketing",
  Bookkeeper: "Finance",
  'Event photographer ("as needed")': "Marketing",
  "Security auditor": "Operations",
};

const departmentOfTitle = new Map([
  ...departments.flatMap(({ name, ladder }) => ladder.map(([title]) => [title, name] as const)),
  ...founders.map((title) => [title, "Executive"] as const),
  ...Object.entries(contractedFor),
]);

/** The department that a position belongs to; null for contractors without a title. */
export function departmentOf(position: string): string | null {
  return departmentOfTitle.get(position) ?? null;
}

/** Whether people report to whoever holds the position. */
export function isLead(position: string): boolean {
  return /\b(Manager|Lead|Director|VP|Partner)\b/.test(position) && position !== "Product Manager";
}

/** Who leads a team when nobody with a title for it is there. */
export function isSenior(position: string): boolean {
  return /^(Senior|Staff)\b/.test(position);
}

export function employeePosition(index: number, random: Random): string {
  return founders[index] ?? random.pick(random.pick(ladders));
}

/** May be empty: not every contractor has a title. */
export function contractorPosition(random: Random): string {
  return random.pick(contracted);
}

/** Who sets their own vacation. */
export function isExecutive(position: string): boolean {
  return /^(Chief|VP|Director)\b/.test(position);
}
