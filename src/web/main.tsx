// The start of the page. First of all, it takes the key out of the address.
import { CSPProvider } from "@base-ui/react/csp-provider";
import { createRoot } from "react-dom/client";
import { Router } from "wouter";
import { BASE_PATH } from "./address.ts";
import { App } from "./app.tsx";
import {
  loadConfig,
  loadViewer,
  storedKey,
  storeKey,
  takeFailureFromAddress,
  takeKeyFromAddress,
} from "./session.ts";
import { directionOf, textsOf, viewersTongue } from "./texts/languages.ts";
import { isText, speak, t } from "./texts/texts.ts";

// Allows custom properties in `style`. The security policy permits it, because React sets them through the DOM.
declare module "react" {
  interface CSSProperties {
    [name: `--${string}`]: string | number | undefined;
  }
}

/** If the script took longer than this to load, the network is slow. */
const SLOW_MS = 2000;
if (performance.now() > SLOW_MS) document.documentElement.dataset.network = "slow";

async function loadLanguage(): Promise<void> {
  const tongue = viewersTongue();
  speak(await textsOf(tongue.language), tongue);
  document.documentElement.lang = tongue.locale;
  document.documentElement.dir = directionOf(tongue.language);
}

const carried = takeKeyFromAddress();
const [config] = await Promise.all([loadConfig(), loadLanguage()]);
if (carried !== null && config.demo) storeKey(carried);
const { viewer, refusal } =
  config.signIn !== null && storedKey() === null ? await loadViewer() : { viewer: null, refusal: null };
const failure = `signIn.failed.${takeFailureFromAddress()}`;
const notice = carried !== null && !config.demo ? "signIn.linkRefused" : failure;
// A browser may bring back a cached page from before its viewer signed out.
window.addEventListener("pageshow", ({ persisted }) => persisted && location.reload());

createRoot(document.getElementById("page")!).render(
  // The content security policy allows no style elements; ours are in the style sheet.
  <CSPProvider disableStyleElements>
    <Router base={BASE_PATH}>
      <App
        config={config}
        initialKey={storedKey()}
        initialViewer={viewer}
        initialNotice={isText(notice) ? t(notice) : null}
        refusal={refusal}
      />
    </Router>
  </CSPProvider>,
);
