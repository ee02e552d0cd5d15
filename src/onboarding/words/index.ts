// The words by which a draft recognises an export; see `words.ts`. A language is a file and a line here.
export { default as cs } from "./cs.json" with { type: "json" };
export { default as da } from "./da.json" with { type: "json" };
export { default as de } from "./de.json" with { type: "json" };
export { default as en } from "./en.json" with { type: "json" };
export { default as es } from "./es.json" with { type: "json" };
export { default as fi } from "./fi.json" with { type: "json" };
export { default as fr } from "./fr.json" with { type: "json" };
export { default as id } from "./id.json" with { type: "json" };
export { default as it } from "./it.json" with { type: "json" };
export { default as ja } from "./ja.json" with { type: "json" };
export { default as nb } from "./nb.json" with { type: "json" };
export { default as nl } from "./nl.json" with { type: "json" };
export { default as pl } from "./pl.json" with { type: "json" };
export { default as pt } from "./pt.json" with { type: "json" };
export { default as sv } from "./sv.json" with { type: "json" };
export { default as tr } from "./tr.json" with { type: "json" };
export { default as vi } from "./vi.json" with { type: "json" };
