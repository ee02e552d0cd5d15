// Every engine, held to the store's promises.
import { conformance } from "../../src/store/conformance.ts";
import { ENGINES } from "./engines.ts";

for (const engine of ENGINES) conformance(engine);
