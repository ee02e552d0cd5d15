// `POST /web/feeds`, the one request that writes: a signed-in person makes a calendar feed (docs/calendars.md, On the page).
import { z } from "zod";
import { isId } from "../../resources/ids.ts";
import { SECRET_IDS_MAX } from "../../store/store.ts";
import { endless } from "../computation.ts";
import { noteLook } from "../looks.ts";
import { parsed, readMessage } from "../mcp.ts";
import { admitted } from "../middleware/admission.ts";
import { identify, requireOpen } from "../middleware/auth.ts";
import type { ReadingParts } from "../middleware/cache.ts";
import { counter } from "../middleware/rate-limit.ts";
import { newCalendar } from "../new-key.ts";
import { HttpProblem, invalidParameters, requireOwnPage, requirePost } from "../problems.ts";
import { endPhase, type RequestContext, respond } from "../request-context.ts";
import { parseSignedIn } from "../routes/signed-in.ts";
import { type Caller, isPerson, noCompany, seesAway } from "../sign-in.ts";
import { companyFor, requireWorker } from "../visibility.ts";
import { CALENDAR_FOLDER, FEEDS_PATH } from "./feed.ts";

const idsOf = (kind: "worker" | "policy") =>
  z.array(z.string().refine((id) => isId(kind, id), `is not the id of a ${kind}`)).max(SECRET_IDS_MAX);

const wantedFeed = z.strictObject({ workers: idsOf("worker"), policies: idsOf("policy") });

/** A feed stays open until an operator revokes it. */
const FEEDS_A_DAY = 50;
const DAY_SECONDS = 86_400;
const made = counter(FEEDS_A_DAY, DAY_SECONDS);

/** Responds with the path of a new feed. It shows names and days only, even if its maker sees more. Only the page may ask. */
export async function makeFeed(parts: ReadingParts, context: RequestContext): Promise<Response> {
  context.route = FEEDS_PATH;
  requirePost(context.method, false);
  requireOwnPage(context.request, "ask for a feed");
  const caller = await identify(parts, context);
  requireOpen(caller, { isOpenTo: isPerson });
  endPhase(context, "key");
  const { id, companyId } = caller.key;
  if (parts.rateLimit !== null) Object.assign(context.headers, await parts.rateLimit.take(id));
  endPhase(context, "rate-limit");
  parseSignedIn({ parameters: [] }, new URLSearchParams(context.query)); // what a feed shows is in the body alone
  const { workers, policies } = parseWanted(await readMessage(context));
  return admitted(parts.admission, id, async () => {
    endPhase(context, "admission");
    const version = await parts.store.version(companyId);
    if (version === null) throw noCompany();
    await requireWorker(parts, caller, version);
    await requireSeen(parts, caller, version, workers, policies);
    const { isOver, waitSeconds } = await made(id);
    if (isOver)
      throw new HttpProblem("rate_limited", `You may make ${FEEDS_A_DAY} calendar links a day.`, {
        headers: { "retry-after": String(waitSeconds) },
      });
    const definition = { workers, types: [], policies, show: "busy", withPending: false } as const;
    const { secret, stored } = newCalendar({ companyId, name: "", definition }, Date.now());
    await parts.store.createCalendar(stored);
    noteLook(parts.looked, context, caller, FEEDS_PATH, 1, stored.id);
    Object.assign(context.headers, { "content-type": "application/json", "cache-control": "no-store" });
    return respond(
      context,
      201,
      JSON.stringify({ path: `${context.basePath}${CALENDAR_FOLDER}${secret}.ics` }),
    );
  });
}

/**
 * Raises a 403 if the feed would show more than its maker sees. A person who sees only who is away may not choose policies: a feed of
 * one policy would reveal the type of leave. A feed without workers shows everybody.
 */
async function requireSeen(
  parts: ReadingParts,
  caller: Caller,
  version: string,
  workers: readonly string[],
  policies: readonly string[],
): Promise<void> {
  const { access } = caller.person!; // keys cannot use this route
  if (access === "everything" || access === "no-reasons") return;
  if (seesAway(access) && policies.length === 0) return;
  if (access !== "away" && workers.length > 0) {
    const company = await companyFor(parts, caller, version, endless());
    const shown = await Promise.all(workers.map((id) => company.object("workers", id)));
    if (shown.every((worker) => worker !== null)) return;
  }
  throw new HttpProblem(
    "missing_scope",
    "A calendar link is of people whom you see: name some of them, and no policies of others.",
  );
}

function parseWanted(text: string | null): z.infer<typeof wantedFeed> {
  const wanted = wantedFeed.safeParse(text === null ? text : parsed(text));
  if (wanted.success) return wanted.data;
  const { path, message } = wanted.error.issues[0]!; // a failed parse has an issue
  throw invalidParameters([{ parameter: ["body", ...path].join("."), detail: message }]);
}
