import { expect, test } from "bun:test";
import { workerRow } from "../../../support/rows.ts";
import { addCompany, addKey } from "../../../support/stores.ts";
import { listOf, startService } from "../../service.ts";

const awkward = '"\\ \u0000\u2028\u2029 </script> 🙂 \u202E';

const service = await startService();
await addCompany(service.writer, "acme", {
  workers: [
    workerRow("wrk_full", {
      businessName: "Bo ApS",
      displayName: awkward,
      email: "bo@example.com",
      endDate: "2200-12-31",
      isBusiness: true,
      position: "Baker",
      preferredName: "Bobo",
      startDate: "1900-01-01",
      status: "offboarding",
      timeZone: "America/Argentina/Buenos_Aires",
      type: "contractor",
      workEmail: "françois0@adventure-works.com",
    }),
    workerRow(`wrk_${"-_aZ09".repeat(10)}aaaa`),
  ],
});
const key = await addKey(service.writer, "acme");

test("every key, in the order of the contract, with nothing around it", async () => {
  const response = await service.call("/v1/workers/wrk_full", { key });
  expect(response.status).toBe(200);
  expect(response.text).toBe(
    `{"id":"wrk_full","businessName":"Bo ApS","displayName":${JSON.stringify(awkward)},"email":"bo@example.com",` +
      '"endDate":"2200-12-31","firstName":"Ana","isBusiness":true,"lastName":"Sol","position":"Baker","preferredName":"Bobo",' +
      '"startDate":"1900-01-01","status":"offboarding","timeZone":"America/Argentina/Buenos_Aires","type":"contractor",' +
      '"workEmail":"françois0@adventure-works.com","legacyId":null,"department":null,"primaryWorkplace":null,"managerId":null,"manager":null,"latestRehireDate":null,"terminationReason":null,"updatedAt":"2026-01-01T00:00:00.000Z"}',
  );
  expect(response.headers.has("link")).toBe(false);
});

test("the list holds the same objects", async () => {
  for (const worker of listOf(await service.call("/v1/workers", { key })).data) {
    const response = await service.call(`/v1/workers/${worker.id}`, { key });
    expect(response.text).toBe(JSON.stringify(worker));
  }
});
