// Signing in: a key is tried before it is stored.

import { type FormEvent, useEffect, useId, useRef, useState } from "react";
import { isRollcallError, Rollcall } from "../client/index.ts";
import { SERVER } from "./address.ts";
import { facts } from "./data/format.ts";
import { explain, Mark, PRODUCT, Reload, useTitle } from "./parts/states.tsx";
import { rich, t } from "./texts/texts.tsx";

const KEY_FORM = "rk_…";

interface Props {
  readonly demo: boolean;
  readonly notice: { readonly text: string; readonly reload?: boolean } | null;
  readonly onKey: (key: string) => void;
}

export function SignIn({ demo, notice, onKey }: Props) {
  useTitle(t("signIn"));
  const id = useId();
  const field = useRef<HTMLInputElement>(null);
  const mayReload = notice?.reload === true;
  useEffect(() => {
    if (!mayReload) field.current?.focus();
  }, [mayReload]);
  const [busy, setBusy] = useState(false);
  const [failure, setFailure] = useState<string | null>(null);

  async function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    if (busy) return;
    const apiKey = String(new FormData(event.currentTarget).get("key") ?? "").trim();
    setBusy(true);
    setFailure(null);
    const why = await tryKey(apiKey);
    if (why === null) return onKey(apiKey);
    setBusy(false);
    setFailure(why);
    field.current?.focus();
  }

  return (
    <main className="sign-in">
      <form onSubmit={submit} noValidate>
        <p className="wordmark">
          <Mark />
          <span>{PRODUCT}</span>
        </p>
        <h1>{t("signIn")}</h1>
        {notice === null ? (
          <p className="soft">{t("signIn.lead")}</p>
        ) : (
          <p className="notice" role="status">
            {notice.text}
          </p>
        )}
        {mayReload && <Reload autoFocus />}
        <label htmlFor={id}>{t("signIn.key")}</label>
        <input
          ref={field}
          id={id}
          name="key"
          type="password"
          placeholder={KEY_FORM}
          autoComplete="off"
          spellCheck={false}
          aria-describedby={`${id}-help ${id}-failure`}
          aria-invalid={failure !== null}
        />
        <p id={`${id}-failure`} className="failure" role="alert">
          {failure}
        </p>
        <button type="submit" className="primary" aria-disabled={busy}>
          {t(busy ? "signIn.busy" : "signIn")}
        </button>
        <p id={`${id}-help`} className="soft small">
          {rich(demo ? "signIn.demo" : "signIn.help", { code: (text) => <code>{text}</code> })}
        </p>
      </form>
    </main>
  );
}

/** Null when the key is good, even if it may not read everything; else what is wrong with it. */
async function tryKey(apiKey: string): Promise<string | null> {
  if (apiKey === "") return t("signIn.empty");
  if (!/^rk_[A-Za-z0-9]+$/.test(apiKey)) return t("signIn.malformed");
  try {
    await new Rollcall({ baseUrl: SERVER, apiKey, retries: 1 }).workers.list().page({ limit: 1 });
    return null;
  } catch (error) {
    if (isRollcallError(error, "missing_scope")) return null;
    const { title, detail, requestId } = explain(error);
    return facts(title, detail, requestId === null ? null : t("error.request", { id: requestId }));
  }
}
