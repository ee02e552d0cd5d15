// The client and the day, for every view.
import { createContext, useContext } from "react";
import type { Rollcall } from "../../client/index.ts";
import { type Day, dayOf } from "../time/days.ts";

export interface Server {
  readonly rollcall: Rollcall;
  readonly fixedToday: Day | null;
}

export const ServerContext = createContext<Server | null>(null);

export function useServer(): Server {
  const server = useContext(ServerContext);
  if (server === null) throw new Error("outside a session");
  return server;
}

/** The day that the server was told is today; else the viewer's own. */
export function useToday(): Day {
  const { fixedToday } = useServer();
  const now = new Date();
  const local = new Date(now.getTime() - now.getTimezoneOffset() * 60_000);
  return fixedToday ?? dayOf(local.toISOString());
}
