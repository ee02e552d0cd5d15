// A small company that has something for every endpoint. Companies that are made with different marks share every id.
import { assignmentRow, type Facts, policyRow, requestRow, workerRow } from "../support/fixtures.ts";

export function sampleFacts(mark = ""): Facts {
  return {
    workers: [
      workerRow("wrk_ana", {
        displayName: `Ana Sol${mark}`,
        legacyId: "E1",
        workEmail: `Ana+${mark.trim()}@Example.com`,
        timeZone: "Europe/Madrid",
        preferredName: `Anita${mark}`,
      }),
      workerRow("wrk_bo", { businessName: `Bo ApS${mark}`, isBusiness: true, type: "contractor" }),
      workerRow("wrk_cy", { status: "inactive", endDate: "2025-12-31", position: `Clerk${mark}` }),
    ],
    policies: [
      policyRow("top_annual", { name: `Annual leave${mark}` }),
      policyRow("top_open", {
        description: `Whatever you need${mark}`,
        isUnlimited: true,
        minutesPerPeriod: null,
        name: `Open${mark}`,
        schedule: "unlimited",
      }),
    ],
    assignments: [
      assignmentRow("toa_1", "wrk_ana", "top_annual"),
      assignmentRow("toa_2", "wrk_ana", "top_open"),
      assignmentRow("toa_3", "wrk_bo", "top_annual"),
    ],
    requests: [
      requestRow("tor_1", "wrk_ana", "top_annual", { reason: `Wedding${mark}`, status: "pending" }),
      requestRow("tor_2", "wrk_ana", "top_open", { timeZone: "Asia/Tokyo" }),
      requestRow("LEGACY-9", "wrk_bo", "top_annual", { status: "denied", requestedMinutes: 90.5 }),
    ],
  };
}
