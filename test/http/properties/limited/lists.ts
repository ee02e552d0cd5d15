// A list, its pages and its objects, as somebody sees them who sees some workers.
import { expect } from "bun:test";
import type { ListBody } from "../../service.ts";
import { type Asker, allRows, anyKnownOn, ask, queryOf, type Row, type Scene } from "./asking.ts";
import { DEPARTMENTS, POLICIES } from "./company.ts";

const OF_TEAMS = ["departmentIds", "managerIds"];
const OF_LEAVE = ["workerIds", "policyIds"];
const LISTS = [
  { path: "/v1/workers", filters: [...OF_TEAMS, "statuses"] },
  { path: "/v1/departments", filters: [], isOfCompany: true },
  { path: "/v1/time_off/policies", filters: [], isOfCompany: true },
  { path: "/v1/time_off/assignments", filters: [...OF_TEAMS, ...OF_LEAVE] },
  { path: "/v1/time_off/requests", filters: [...OF_TEAMS, ...OF_LEAVE, "statuses"] },
  { path: "/v1/time_off/balances", filters: [...OF_TEAMS, ...OF_LEAVE] },
  {
    path: "/v1/time_off/days",
    filters: [...OF_TEAMS, ...OF_LEAVE],
    always: ["from=2026-10-20", "to=2026-12-01"],
  },
  { path: "/v1/time_off/expirations", filters: OF_LEAVE },
] as const;

type List = (typeof LISTS)[number] & { readonly isOfCompany?: boolean; readonly always?: readonly string[] };

const workerOf = (list: List, row: Row): string => (list.path === "/v1/workers" ? row.id : row.workerId!);

/** A list of one query. */
interface Asked {
  readonly list: List;
  readonly asker: Asker;
  readonly knownOn: readonly string[];
  readonly parameters: readonly string[];
  /** The rows of the whole list. */
  readonly whole: readonly Row[];
  /** Those of them that the asker may read. */
  readonly visible: readonly Row[];
}

export async function compareList(scene: Scene, asker: Asker): Promise<void> {
  const list: List = scene.company.pick(LISTS);
  const knownOn = anyKnownOn(scene);
  const filters = list.filters.filter(() => scene.random(4) === 0);
  const parameters = [
    ...knownOn,
    ...(list.always ?? []),
    ...filters.map((name) => `${name}=${filterValue(scene, list, asker, name)}`),
  ];
  const whole = await allRows(scene, list.path + queryOf(parameters), asker.whole);
  const visible = whole.filter((row) => list.isOfCompany || asker.visible.has(workerOf(list, row)));
  const asked = { list, asker, knownOn, parameters, whole, visible };
  await compareFormats(scene, asked);
  await comparePage(scene, asked);
  if (["workers", "requests", "balances"].some((name) => list.path.endsWith(name)))
    await compareObject(scene, asked);
}

function filterValue({ company }: Scene, list: List, asker: Asker, name: string): string {
  switch (name) {
    case "departmentIds":
      return company.pick(DEPARTMENTS);
    case "managerIds":
      return [company.anyWorker(), company.anyWorker()].join(",");
    case "workerIds":
      return [company.anyWorker(), company.anyWorker(), company.pick([...asker.visible])].join(",");
    case "policyIds":
      return company.pick(POLICIES);
    default:
      return list.path === "/v1/workers" ? "active" : company.pick(["approved", "pending,denied"]);
  }
}

async function compareFormats(scene: Scene, { list, asker, parameters, visible }: Asked): Promise<void> {
  const path = list.path + queryOf(parameters);
  const label = `${asker.label} ${path}`;
  expect({ label, rows: await allRows(scene, path, asker.call) }).toEqual({ label, rows: [...visible] });
  const ids = new Set(visible.map(({ id }) => id));
  const whole = await ask(scene, path, asker.whole, "text/csv");
  const [head, ...lines] = whole.text.trimEnd().split("\r\n");
  const own = await ask(scene, path, asker.call, "text/csv");
  expect({ label, lines: own.text.trimEnd().split("\r\n") }).toEqual({
    label,
    lines: [head!, ...lines.filter((line) => ids.has(line.split(",")[0]!))],
  });
}

/** A page after or before a row that somebody else's query gave. */
async function comparePage(scene: Scene, asked: Asked): Promise<void> {
  const { list, asker, parameters, knownOn } = asked;
  const { company, random } = scene;
  const others = company.pick([parameters, [...knownOn, ...(list.always ?? [])], list.always ?? []]);
  const rows = await allRows(scene, list.path + queryOf(others), scene.all);
  if (rows.length === 0) return;
  const isBackward = random(2) === 0;
  const cursor = `${isBackward ? "beforeId" : "afterId"}=${company.pick(rows).id}`;
  const limit = 1 + random(12);
  const path = list.path + queryOf([...parameters, `limit=${limit}`, cursor]);
  const label = `${asker.label} ${path}`;
  const page = await ask(scene, path, asker.call);
  const rest = await rowsBeyond(scene, asked, cursor);
  if (typeof rest === "number") {
    expect({ label, status: page.status }).toEqual({ label, status: rest });
    return;
  }
  const ids = new Set(asked.visible.map(({ id }) => id));
  const visible = rest.map(({ id }) => id).filter((id) => ids.has(id));
  const shown = isBackward ? visible.slice(-limit) : visible.slice(0, limit);
  const { data, count, hasMore } = JSON.parse(page.text) as ListBody;
  expect({ label, ids: data.map(({ id }) => id) }).toEqual({ label, ids: shown });
  expect({ label, leadsTo: cursorsOf(page.link) }).toEqual({
    label,
    leadsTo: shown.length === 0 ? [] : cursorsAround(shown, hasMore, isBackward),
  });
  // A page of balances may be short: docs/api.md, "Balances".
  if (!list.path.endsWith("balances"))
    expect({ label, count, hasMore }).toEqual({
      label,
      count: shown.length,
      hasMore: visible.length > limit,
    });
}

/** The cursors of a `Link` header, which has `next` first. */
function cursorsOf(link: string | null): string[] {
  return [...(link ?? "").matchAll(/(afterId|beforeId)=[^>&]+(?=>)/g)].map(([cursor]) => cursor);
}

/** Where the links of a page lead that was asked for by a cursor: docs/api.md, "Headers". */
function cursorsAround(ids: readonly string[], hasMore: boolean, isBackward: boolean): string[] {
  const next = isBackward || hasMore ? [`afterId=${ids.at(-1)}`] : [];
  const previous = !isBackward || hasMore ? [`beforeId=${ids[0]}`] : [];
  return [...next, ...previous];
}

/** What of the whole list is after or before a row; the status where the row is refused. */
async function rowsBeyond(
  scene: Scene,
  { list, asker, parameters }: Asked,
  cursor: string,
): Promise<readonly Row[] | number> {
  const [direction] = cursor.split("=");
  const rows: Row[] = [];
  for (let next = cursor; ; ) {
    const page = await ask(scene, list.path + queryOf([...parameters, "limit=100", next]), asker.whole);
    if (page.status !== 200) return page.status;
    const { data, hasMore } = JSON.parse(page.text) as ListBody;
    if (direction === "beforeId") rows.unshift(...data);
    else rows.push(...data);
    if (!hasMore) return rows;
    next = `${direction}=${direction === "beforeId" ? data[0]!.id : data.at(-1)!.id}`;
  }
}

/** An object: the same as for those who see all, or the same as one that never was. */
async function compareObject(scene: Scene, { list, asker, knownOn, whole }: Asked): Promise<void> {
  const id = whole.length > 0 && scene.random(3) > 0 ? scene.company.pick(whole).id : anyId(scene, list);
  const path = (of: string) => `${list.path}/${of}${queryOf(knownOn)}`;
  const label = `${asker.label} ${path(id)}`;
  const complete = await ask(scene, path(id), asker.whole);
  const own = await ask(scene, path(id), asker.call);
  if (complete.status === 200 && asker.visible.has(workerOf(list, JSON.parse(complete.text) as Row))) {
    expect({ label, ...own }).toEqual({ label, ...complete });
    return;
  }
  const absentId = `${id.slice(0, 4)}04nonenone`;
  const absent = await ask(scene, path(absentId), asker.call);
  const withoutIds = (text: string) =>
    text
      .replace(/"requestId":"[^"]*"/, "")
      .replaceAll(id, "ID")
      .replaceAll(absentId, "ID");
  expect({ label, status: own.status, text: withoutIds(own.text) }).toEqual({
    label,
    status: absent.status,
    text: withoutIds(absent.text),
  });
}

function anyId({ company, random }: Scene, { path }: List): string {
  if (path === "/v1/workers") return company.anyWorker();
  if (path.endsWith("requests")) return company.anyRequest();
  return `tob_0${1 + random(2)}${10 + random(30)}pto`;
}
