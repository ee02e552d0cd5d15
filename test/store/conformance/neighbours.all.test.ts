import { postgres } from "./engines.ts";
import { neighbours } from "./neighbours.ts";

neighbours(postgres);
