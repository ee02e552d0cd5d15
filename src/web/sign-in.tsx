// Signing in: by a key, which is tried before it is stored; or at an identity provider.

import { type FormEvent, type ReactNode, useEffect, useId, useRef, useState } from "react";
import { Rollcall, type RollcallError } from "../client/index.ts";
import { SERVER } from "./address.ts";
import { facts } from "./data/format.ts";
import { explain, Mark, PRODUCT, Reload, useTitle, Words } from "./parts/states.tsx";
import { signInAddress } from "./session.ts";
import { rich } from "./texts/rich.tsx";
import { t } from "./texts/texts.ts";

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
        <Wordmark />
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
          dir="ltr" // as keys are, in every language
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

function Wordmark() {
  return (
    <p className="wordmark">
      <Mark />
      <span>{PRODUCT}</span>
    </p>
  );
}

function Card({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  useTitle(title);
  return (
    <main className="sign-in">
      <div>
        <Wordmark />
        <h1>{title}</h1>
        {children}
      </div>
    </main>
  );
}

/** Offers sign-in with the company's account, and asks for no key. `notice`: why nobody is signed in. */
export function SignInAtProvider({ notice }: { readonly notice: string | null }) {
  const button = useRef<HTMLButtonElement>(null);
  useEffect(() => button.current?.focus(), []);
  return (
    <Card title={t("signIn")}>
      {notice === null ? (
        <p className="soft">{t("signIn.account")}</p>
      ) : (
        <p className="notice" role="status">
          {notice}
        </p>
      )}
      <button
        ref={button}
        type="button"
        className="primary"
        onClick={() => window.location.assign(signInAddress())}
      >
        {t("signIn")}
      </button>
    </Card>
  );
}

interface RefusedProps {
  readonly error: RollcallError;
  readonly onSignOut: (() => void) | null;
}

/** For a signed-in person without access: says whom to ask, or what failed. It asks for no key, which would be somebody else's. */
export function Refused({ error, onSignOut }: RefusedProps) {
  const { title, help, ...words } = explain(error);
  return (
    <Card title={title}>
      <Words {...words} />
      {help && <Reload />}
      {onSignOut !== null && (
        <button type="button" onClick={onSignOut}>
          {t("signOut")}
        </button>
      )}
    </Card>
  );
}

/** Tries a key. Returns null if it opens a view, else a message. */
async function tryKey(apiKey: string): Promise<string | null> {
  if (apiKey === "") return t("signIn.empty");
  if (!/^rk_[A-Za-z0-9]+$/.test(apiKey)) return t("signIn.malformed");
  const { workers, policies } = new Rollcall({ baseUrl: SERVER, apiKey, retries: 1 });
  try {
    await Promise.any([workers.list(), policies.list()].map((list) => list.page({ limit: 1 })));
    return null;
  } catch (error) {
    const { title, requestId } = explain((error as AggregateError).errors[0]); // every request has failed, so the first error exists
    return facts(title, requestId && t("error.request", { id: requestId }));
  }
}
