// Who is away today, as a message for Slack or Teams. "Today" is the company's day, so run it in the company's morning:
//
//   ROLLCALL_URL=… ROLLCALL_KEY=… SLACK_HOOK=https://hooks.slack.com/services/… node morning.mjs
//   ROLLCALL_URL=… ROLLCALL_KEY=… TEAMS_HOOK=https://….logic.azure.com/… node morning.mjs
//
// Without a hook it prints the message. The key needs both scopes. An instant as an argument stands for now. Needs Node 20 or newer.
const { ROLLCALL_URL, ROLLCALL_KEY, SLACK_HOOK, TEAMS_HOOK } = process.env;

async function get(path) {
  const response = await fetch(ROLLCALL_URL + path, { headers: { "x-api-key": ROLLCALL_KEY } });
  const body = await response.json();
  if (!response.ok) throw new Error(`${path}: ${body.detail}`);
  return body;
}

/** Every object of a list, page by page. */
async function all(path) {
  const objects = [];
  for (let after = ""; ; after = `&afterId=${encodeURIComponent(objects.at(-1).id)}`) {
    const { data, hasMore } = await get(`${path}&limit=100${after}`);
    objects.push(...data);
    if (!hasMore) return objects;
  }
}

/** The day and the time of an instant in a zone: ["2026-11-27", "08:00"]. */
function local(instant, timeZone) {
  const parts = new Date(instant).toLocaleString("sv-SE", {
    timeZone,
    dateStyle: "short",
    timeStyle: "short",
  });
  return parts.split(" ");
}

const company = await get("/v1/company");
const zone = company.timeZone ?? "UTC";
const [today] = local(process.argv[2] ?? Date.now(), zone);
const workers = new Map((await all("/v1/workers?")).map((worker) => [worker.id, worker]));

/** From when to when on this day, where the leave has times and does not last the whole day. */
function times({ startAt, endAt, startRangeType, endRangeType, timeZone, workerId }) {
  const own = timeZone ?? workers.get(workerId)?.timeZone ?? zone;
  const [firstDay, from] = local(startAt, own);
  const [lastDay, to] = local(endAt, own);
  const begins = startRangeType === "datetime" && firstDay === today && from !== "00:00" ? from : null;
  const ends = endRangeType === "datetime" && lastDay === today ? to : null;
  if (begins !== null && ends !== null) return `, ${begins}–${ends}`;
  if (begins !== null) return `, from ${begins}`;
  return ends === null ? "" : `, until ${ends}`;
}

const lines = [];
for (const { requestId, workerId, isAbsence } of await all(`/v1/time_off/days?from=${today}&to=${today}`)) {
  if (!isAbsence) continue; // they work, from elsewhere
  const { displayName: name = workerId, endDate = null } = workers.get(workerId) ?? {};
  if (endDate !== null && endDate < today) continue; // they have left
  lines.push(`• ${name}${times(await get(`/v1/time_off/requests/${requestId}`))}`);
}
lines.sort((one, other) => one.localeCompare(other));
const text =
  lines.length === 0 ? `Nobody is away today (${today}).` : `Away today (${today}):\n${lines.join("\n")}`;

const slack = { text: text.replace(/[&<>]/g, (sign) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;" })[sign]) };
// Of a card, only what follows an empty line is a new paragraph; backslashes keep names from being Markdown.
const block = {
  type: "TextBlock",
  wrap: true,
  text: text.replace(/[\\*_[\]()]/g, "\\$&").replaceAll("\n", "\n\n"),
};
const content = { type: "AdaptiveCard", version: "1.4", body: [block] };
const teams = {
  type: "message",
  attachments: [{ contentType: "application/vnd.microsoft.card.adaptive", content }],
};

const messages = [...(SLACK_HOOK ? [[SLACK_HOOK, slack]] : []), ...(TEAMS_HOOK ? [[TEAMS_HOOK, teams]] : [])];
if (messages.length === 0) console.log(text);
for (const [hook, message] of messages) {
  const headers = { "content-type": "application/json" };
  const response = await fetch(hook, { method: "POST", headers, body: JSON.stringify(message) });
  if (!response.ok) throw new Error(`the hook responded with ${response.status}: ${await response.text()}`);
}
