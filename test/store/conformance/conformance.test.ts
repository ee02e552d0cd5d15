// Every engine, held to the store's promises.

import { ENGINES } from "./engines.ts";
import { conformance } from "./suite.ts";

for (const engine of ENGINES) conformance(engine);
