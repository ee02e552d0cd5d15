// A view as it was known at the end of a day (docs/api.md, What was known). The address has the day.
import { QueryClientProvider, useQueryClient } from "@tanstack/react-query";
import { type ReactNode, useMemo } from "react";
import { formatDay } from "../time/day.ts";
import { storedDay } from "./data/days.ts";
import { plainDay } from "./data/format.ts";
import { ServerContext, useServer, useToday } from "./data/queries.ts";
import { useSettings } from "./data/settings.ts";
import { DayField } from "./parts/search.tsx";
import { t } from "./texts/texts.ts";

/** The server asked as of the day in the address, with its own cache; without a day, the usual one. */
export function Known({ children }: { readonly children: ReactNode }) {
  const { search, change } = useSettings();
  const server = useServer();
  const queries = useQueryClient();
  const today = useToday();
  const hasPast = search.get("show") !== "closes"; // they compare with what is known now
  const asked = hasPast ? storedDay(search.get("known")) : null;
  const day = asked !== null && asked < today ? asked : null;
  const session = useMemo(() => (day === null ? null : server.asKnownOn(day)), [server, day]);
  return (
    <>
      {day !== null && (
        <p className="notice small known" role="status">
          {t("known.banner", { day: plainDay(day) })}{" "}
          <button type="button" onClick={() => change({ known: null })}>
            {t("known.now")}
          </button>
        </p>
      )}
      <ServerContext value={session?.server ?? server}>
        <QueryClientProvider client={session?.queries ?? queries}>{children}</QueryClientProvider>
      </ServerContext>
      {hasPast && (
        <p className="soft small known-field">
          {t("known.on")}{" "}
          <DayField
            label={t("known.on")}
            day={day ?? today}
            onChange={(next) => change({ known: next < today ? formatDay(next) : null })}
          />
        </p>
      )}
    </>
  );
}
