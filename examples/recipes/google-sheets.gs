// Fills two sheets of a spreadsheet: Balances (today, in days) and Away (the next four weeks, day by day). The address and the key are
// script properties, ROLLCALL_URL and ROLLCALL_KEY: docs/recipes/google-sheets.md.

function onOpen() {
  SpreadsheetApp.getUi().createMenu("Rollcall").addItem("Refresh", "refresh").addToUi();
}

function refresh() {
  const workers = byId_(list_("/v1/workers"));
  const policies = byId_(list_("/v1/time_off/policies"));
  const nameOf = (workerId) => workers[workerId]?.displayName ?? workerId;

  const balances = list_("/v1/time_off/balances").map((balance) => [
    nameOf(balance.workerId),
    workers[balance.workerId]?.workEmail ?? "",
    policies[balance.policyId]?.name ?? balance.policyId,
    policies[balance.policyId]?.isUnlimited ? "unlimited" : balance.available / MINUTES_PER_DAY,
    balance.holds / MINUTES_PER_DAY,
  ]);
  write_("Balances", ["Name", "Email", "Policy", "Available, days", "Requested, days"], balances);

  const zone = SpreadsheetApp.getActive().getSpreadsheetTimeZone();
  const day = (days) => Utilities.formatDate(new Date(Date.now() + days * 86_400_000), zone, "yyyy-MM-dd");
  const away = list_("/v1/time_off/days", { from: day(0), to: day(27) })
    .filter(({ isAbsence }) => isAbsence)
    .map(({ date, workerId, policyId, minutes }) => [
      date,
      nameOf(workerId),
      policies[policyId]?.name ?? policyId,
      minutes / 60,
    ])
    .sort(([date, name], [otherDate, otherName]) =>
      `${date} ${name}`.localeCompare(`${otherDate} ${otherName}`),
    );
  write_("Away", ["Day", "Name", "Policy", "Hours"], away);
}

const MINUTES_PER_DAY = 480;

/** Every object of a list, page by page. */
function list_(path, query = {}) {
  const properties = PropertiesService.getScriptProperties();
  const objects = [];
  for (let afterId; ; afterId = objects.at(-1).id) {
    const parameters = Object.entries({ ...query, limit: 100, ...(afterId && { afterId }) });
    const text = parameters.map(([name, value]) => `${name}=${encodeURIComponent(value)}`).join("&");
    const response = UrlFetchApp.fetch(`${properties.getProperty("ROLLCALL_URL")}${path}?${text}`, {
      headers: { "x-api-key": properties.getProperty("ROLLCALL_KEY") },
      muteHttpExceptions: true,
    });
    const body = JSON.parse(response.getContentText());
    if (response.getResponseCode() !== 200) throw new Error(`${path}: ${body.detail}`);
    objects.push(...body.data);
    if (!body.hasMore) return objects;
  }
}

const byId_ = (objects) => Object.fromEntries(objects.map((object) => [object.id, object]));

/** Replaces the sheet's contents once everything is read. A text that the spreadsheet would run stays text. */
function write_(name, header, rows) {
  const spreadsheet = SpreadsheetApp.getActive();
  const sheet = spreadsheet.getSheetByName(name) ?? spreadsheet.insertSheet(name);
  const cells = [header, ...rows].map((row) =>
    row.map((value) => (typeof value === "string" && /^[=+\-@＝＋－＠'\t\r]/.test(value) ? `'${value}` : value)),
  );
  sheet.clearContents();
  sheet.getRange(1, 1, cells.length, header.length).setValues(cells);
}
