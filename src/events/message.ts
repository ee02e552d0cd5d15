// A message in the form of Standard Webhooks: an envelope, and a signature over its id, time and bytes.
import { createHash, createHmac, randomBytes } from "node:crypto";
import type { StoredHook } from "../store/hooks.ts";

export interface Message {
  /** The same for all attempts and all hooks. */
  readonly id: string;
  readonly body: string;
}

/** `identity` is unique for each event. */
export function messageOf(
  type: string,
  identity: readonly (string | number)[],
  atMs: number,
  data: unknown,
): Message {
  const digest = createHash("sha256").update(JSON.stringify(identity)).digest("hex");
  const id = `evt_${digest.slice(0, 32)}`;
  return { id, body: JSON.stringify({ id, type, timestamp: new Date(atMs).toISOString(), data }) };
}

/** A new secret in its stored form. */
export function newSecret(): string {
  return randomBytes(24).toString("base64");
}

/** A secret in the form that receivers use. */
export function shownSecret(secret: string): string {
  return `whsec_${secret}`;
}

type Signing = Pick<StoredHook, "secret" | "formerSecret" | "formerUntilMs">;

/** The headers of an attempt. After a rotation, both secrets sign for a while. */
export function headersOf({ id, body }: Message, hook: Signing, nowMs: number): Record<string, string> {
  const timestamp = String(Math.floor(nowMs / 1000));
  const isFormer = hook.formerSecret !== null && nowMs < hook.formerUntilMs;
  const secrets = [hook.secret, ...(isFormer ? [hook.formerSecret] : [])];
  const signatures = secrets.map((secret) =>
    createHmac("sha256", Buffer.from(secret, "base64")).update(`${id}.${timestamp}.${body}`).digest("base64"),
  );
  return {
    "content-type": "application/json",
    "content-length": String(Buffer.byteLength(body)),
    "user-agent": "rollcall",
    "webhook-id": id,
    "webhook-timestamp": timestamp,
    "webhook-signature": signatures.map((signature) => `v1,${signature}`).join(" "),
  };
}
