// Where the page starts: the key in the address is taken before anything else happens.
import { CSPProvider } from "@base-ui/react/csp-provider";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { Router } from "wouter";
import { BASE_PATH } from "./address.ts";
import { App } from "./app.tsx";
import { loadConfig, loadViewer, storedKey, storeKey, takeKeyFromAddress } from "./session.ts";
import { loadLanguage, t } from "./texts/texts.tsx";

// Custom properties may be set through `style`: React sets them through the DOM, so no style attribute is parsed.
declare module "react" {
  interface CSSProperties {
    [name: `--${string}`]: string | number | undefined;
  }
}

/** A script that takes longer to arrive comes over a slow network. */
const SLOW_MS = 2000;
if (performance.now() > SLOW_MS) document.documentElement.dataset.network = "slow";

const carried = takeKeyFromAddress();
const [config] = await Promise.all([loadConfig(), loadLanguage()]);
if (carried !== null && config.demo) storeKey(carried);
const { viewer, refusal } =
  config.hasProxySignIn && storedKey() === null ? await loadViewer() : { viewer: null, refusal: null };
const refused = carried !== null && !config.demo;

createRoot(document.getElementById("page")!).render(
  <StrictMode>
    {/* The page's policy allows no style elements; ours are in the style sheet. */}
    <CSPProvider disableStyleElements>
      <Router base={BASE_PATH}>
        <App
          config={config}
          initialKey={storedKey()}
          initialViewer={viewer}
          refusal={refused ? t("signIn.linkRefused") : refusal}
        />
      </Router>
    </CSPProvider>
  </StrictMode>,
);
