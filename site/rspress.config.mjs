// Everything is served from the site itself: no fonts, scripts or search of others. `SITE_BASE` is the path of the site, such as
// `/rollcall/`.
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

export default {
  root: "pages",
  outDir: "../dist/site",
  base: process.env.SITE_BASE ?? "/",
  title: "Rollcall",
  description: "Open, self-hosted, read-only access to a company's workers and their time off",
  icon: "/icon.svg",
  logo: "/icon.svg",
  logoText: "Rollcall",
  markdown: { link: { checkDeadLinks: true, checkAnchors: true } },
  globalStyles: fileURLToPath(new URL("style.css", import.meta.url)),
  search: { codeBlocks: true },
  themeConfig: {
    nav: [
      { text: "Tour", link: "/tour" },
      { text: "API", link: "/api" },
      { text: "Reference", link: "/reference/" },
    ],
    sidebar: { "/": JSON.parse(readFileSync(new URL("pages/sidebar.json", import.meta.url), "utf8")) },
    enableContentAnimation: false,
    llmsUI: false,
  },
};
