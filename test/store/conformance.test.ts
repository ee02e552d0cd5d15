// Every engine, held to the store's promises.
import { conformance } from "../../src/store/conformance.ts";
import { sqlite } from "./engines.ts";

for (const engine of [sqlite]) conformance(engine);
