import { sqlite } from "./engines.ts";
import { neighbours } from "./neighbours.ts";

neighbours(sqlite);
