// A view as it was known at the end of a day (docs/api.md, What was known). The address has the day.
import { QueryClientProvider, useQueryClient } from "@tanstack/react-query";
import { type ReactNode, useMemo } from "react";
import { formatDay } from "../time/day.ts";
import { knownZone, storedDay, wallTime } from "./data/days.ts";
import { instantText, plainDay, shortRange } from "./data/format.ts";
import { ServerContext, useCompany, useServer, useToday } from "./data/queries.ts";
import { useSettings } from "./data/settings.ts";
import { DayField } from "./parts/search.tsx";
import { failureOf } from "./parts/states.tsx";
import { t } from "./texts/texts.ts";

interface Props {
  /** Whether the view can be asked for as of a day. */
  readonly hasPast: boolean;
  readonly children: ReactNode;
}

/** The server asked as of the day in the address, with its own cache; without a day, the usual one. */
export function Known({ hasPast: isView, children }: Props) {
  const { search, change } = useSettings();
  const server = useServer();
  const queries = useQueryClient();
  const today = useToday();
  const about = useCompany();
  const company = about.data;
  const since = company?.knownSince ?? null;
  // A day is known at its end, so the first one that is known is that of the first moment.
  const first = since === null ? today : wallTime(since, knownZone(company!.timeZone)).day;
  const hasPast = isView && search.get("show") !== "closes"; // they compare with what is known now
  const text = (hasPast && search.get("known")) || null;
  const asked = storedDay(text);
  const isOther = text !== null && (asked === null || asked > today); // a moment, or still to come
  const day = asked !== null && asked < today ? asked : null;
  const session = useMemo(() => (day === null ? null : server.asKnownOn(day)), [server, day]);
  const isKnown = !isOther && (day === null || day >= first);
  return (
    <>
      {(day !== null || isOther) && company !== undefined && (
        <p className="notice small known" role="status">
          {day === null || since === null
            ? t("day.within", { range: shortRange(first, today) })
            : isKnown
              ? t("known.banner", { day: plainDay(day) })
              : t("known.before", { instant: instantText(since) })}{" "}
          <button type="button" onClick={() => change({ known: null })}>
            {t("known.now")}
          </button>
        </p>
      )}
      {day !== null && failureOf(about)}
      {/* The key: whoever reads stays with the cache that it began with. */}
      {isKnown && (day === null || company !== undefined) && (
        <ServerContext key={day} value={session?.server ?? server}>
          <QueryClientProvider client={session?.queries ?? queries}>{children}</QueryClientProvider>
        </ServerContext>
      )}
      {hasPast && first < today && (
        <p className="soft small known-field">
          {t("known.on")}{" "}
          <DayField
            label={t("known.on")}
            day={isKnown ? (day ?? today) : first}
            within={{ first, end: today + 1 }}
            onChange={(next) => change({ known: next < today ? formatDay(next) : null })}
          />
        </p>
      )}
    </>
  );
}
