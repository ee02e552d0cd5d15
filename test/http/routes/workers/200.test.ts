import { describe, expect, test } from "bun:test";
import { workerRow } from "../../../support/rows.ts";
import { addCompany, addKey } from "../../../support/stores.ts";
import { idsOf, startService } from "../../service.ts";

const EMAILS: Record<string, string> = {
  wrk_plus: "Ana+Leave@Example.COM",
  wrk_accent: "François0@adventure-works.com",
  wrk_apart: "Franc\u0327ois1@adventure-works.com",
  wrk_dot: "İsmail@example.com",
  wrk_dotless: "ışık@example.com",
  wrk_sharp: "straße@example.com",
  wrk_sigma: "μαριος.βας@example.gr",
  wrk_kelvin: "\u212Aelvin@example.com",
  wrk_cyrillic: "Юлия@пример.рф",
};

const service = await startService();
await addCompany(service.writer, "acme", {
  workers: [
    workerRow("wrk_a", { status: "onboarding", type: "contractor" }),
    workerRow("wrk_b", { status: "active", type: "contractor" }),
    workerRow("wrk_c", { status: "offboarding" }),
    workerRow("wrk_d", { status: "inactive" }),
    workerRow("wrk_e", { email: "shared@example.com", workEmail: "shared@example.com" }),
    workerRow("wrk_f", { workEmail: "Shared@Example.com", status: "inactive" }),
    ...Object.entries(EMAILS).map(([id, workEmail]) => workerRow(id, { workEmail, status: "onboarding" })),
  ],
});
const key = await addKey(service.writer, "acme");

const found = async (query: string) => idsOf(await service.call(`/v1/workers?${query}`, { key }));

test("a worker on the wire, byte by byte", async () => {
  const response = await service.call("/v1/workers?limit=1", { key });
  expect(response.text).toBe(
    '{"count":1,"data":[{"id":"wrk_a","businessName":null,"displayName":"Ana Sol","email":"ana@example.com",' +
      '"endDate":null,"firstName":"Ana","isBusiness":false,"lastName":"Sol","position":"","preferredName":null,' +
      '"startDate":"2024-01-01","status":"onboarding","timeZone":null,"type":"contractor","workEmail":null,"legacyId":null,"department":null,"primaryWorkplace":null,"managerId":null,"manager":null,"latestRehireDate":null,"terminationReason":null,"updatedAt":"2026-01-01T00:00:00.000Z"}],"hasMore":true}',
  );
});

test("filters: OR within one, AND between them", async () => {
  expect(await found("statuses=offboarding")).toEqual(["wrk_c"]);
  expect(await found("statuses=offboarding,inactive")).toEqual(["wrk_c", "wrk_d", "wrk_f"]);
  expect(await found("statuses[]=inactive&types=contractor")).toEqual([]);
  expect(await found("types=contractor&types[]=contractor")).toEqual(["wrk_a", "wrk_b"]);
  expect(await found("types=contractor&statuses[0]=active&statuses[0]=inactive")).toEqual(["wrk_b"]);
  expect(await found("workEmail=shared@example.com")).toEqual(["wrk_e", "wrk_f"]);
  expect(await found("workEmail=shared@example.com&statuses=inactive")).toEqual(["wrk_f"]);
});

test("filters of 200 values each find what each value finds", async () => {
  const workers = ['O\'Neil "Ops"', "Ünïcode 部", "a,b\\c", "[0]", "null"].flatMap((department, at) => [
    workerRow(`wrk_${at}`, { department, location: `L${at}`, managerId: "wrk_0" }),
    workerRow(`wrk_x${at}`, { department, location: "elsewhere" }),
  ]);
  await addCompany(service.writer, "many", { workers });
  const manyKey = await addKey(service.writer, "many");
  const others = (name: string, prefix: string) =>
    Array.from({ length: 195 }, (_, at) => `${name}=${prefix}none${at}`);
  const query = workers
    .filter(({ id }) => !id.includes("x"))
    .flatMap(({ departmentId, workplaceId }) => [
      `departmentIds=${departmentId}`,
      `workplaceIds=${workplaceId}`,
    ])
    .concat(others("departmentIds", "dpt_"), others("workplaceIds", "wkp_"))
    .join("&");
  const all = ["wrk_0", "wrk_1", "wrk_2", "wrk_3", "wrk_4"];
  const ask = async (more: string) =>
    idsOf(await service.call(`/v1/workers?${query}${more}`, { key: manyKey }));
  expect(await ask("")).toEqual(all);
  expect(await ask("&managerIds=wrk_0&afterId=wrk_1")).toEqual(all.slice(2));
  expect(await ask(`&${others("managerIds", "wrk_").join("&")}`)).toEqual([]);
});

describe("workEmail", () => {
  test("only the work address is looked at, and only as a whole", async () => {
    for (const email of [
      "ana@example.com",
      "hared@example.com",
      "shared@example.co",
      "%25@example.com",
      "_hared@example.com",
    ]) {
      expect(await found(`workEmail=${email}`)).toEqual([]);
    }
  });

  test.each(Object.entries(EMAILS))(
    "%s is found by %s in any case and either composition",
    async (id, email) => {
      const upper = id === "wrk_sharp" ? email.toUpperCase().replace("SS", "ẞ") : email.toUpperCase();
      const spellings = [email, email.toLowerCase(), email.normalize("NFC"), email.normalize("NFD")];
      // Two letters have the capital I, so a capital I matches neither reliably.
      if (id !== "wrk_dotless") spellings.push(upper, upper.normalize("NFD"), upper.toLowerCase());
      for (const spelling of spellings) {
        expect(await found(`workEmail=${encodeURIComponent(spelling)}`)).toEqual([id]);
      }
    },
  );

  test("similar letters are different people", async () => {
    for (const other of [
      "strasse@example.com",
      "ismail@example.com",
      "isik@example.com",
      "francois0@adventure-works.com",
    ]) {
      expect(await found(`workEmail=${other}`)).toEqual([]);
    }
  });
});
