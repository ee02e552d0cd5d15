// Shows a view with the data as it was known at the end of the day in the address (docs/api.md, What was known).
import { QueryClientProvider, useQueryClient } from "@tanstack/react-query";
import { type ReactNode, useMemo } from "react";
import { type Day, formatDay } from "../time/day.ts";
import { knownZone, storedDay, wallTime } from "./data/days.ts";
import { instantText, plainDay, shortRange } from "./data/format.ts";
import { ServerContext, useCompany, useServer, useToday } from "./data/queries.ts";
import { useSettings } from "./data/settings.ts";
import { DayField } from "./parts/search.tsx";
import { focusAround, viewFailureOf } from "./parts/states.tsx";
import { t } from "./texts/texts.ts";

interface Props {
  /** Whether the view can show the data of an earlier day. */
  readonly hasPast: boolean;
  readonly children: ReactNode;
}

/** Provides a server that reads data as known on the day in the address, with a cache of its own; without a day, the usual server. */
export function Known({ hasPast: isView, children }: Props) {
  const { search, change } = useSettings();
  const server = useServer();
  const queries = useQueryClient();
  const today = useToday();
  const about = useCompany();
  const company = about.data;
  const since = company?.knownSince ?? null;
  // Data is shown as known at the end of a day. So the first day to choose is that of the first import.
  const first = since === null ? today : wallTime(since, knownZone(company!.timeZone)).day;
  const hasPast = isView && search.get("show") !== "closes"; // closes compare with the data of now
  const { day, isOther } = dayAsked((hasPast && search.get("known")) || null, today);
  const session = useMemo(() => (day === null ? null : server.asKnownOn(day)), [server, day]);
  const isKnown = !isOther && (day === null || day >= first);
  return (
    <>
      {(day !== null || isOther) && company !== undefined && (
        <p className="notice small known" role="status">
          {bannerText({ day, since, first, today })}{" "}
          <button
            type="button"
            onClick={({ currentTarget }) => {
              focusAround(currentTarget);
              change({ known: null });
            }}
          >
            {t("known.now")}
          </button>
        </p>
      )}
      {!isKnown && <h1 className="hidden">{t("error.not_known")}</h1>}
      {day !== null && viewFailureOf(about)}
      {/* With the key, another day mounts the view anew, so no component changes its cache. */}
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

/** A past day in the address; null for now. `isOther`: the address has anything else, such as a moment or a future day. */
function dayAsked(text: string | null, today: Day): { readonly day: Day | null; readonly isOther: boolean } {
  const day = storedDay(text);
  if (day === null || day > today) return { day: null, isOther: text !== null };
  return { day: day < today ? day : null, isOther: false };
}

interface Asked {
  readonly day: Day | null;
  /** The instant from which on the company's data is known. */
  readonly since: string | null;
  readonly first: Day;
  readonly today: Day;
}

/** Says which day is shown, or which days can be chosen. */
function bannerText({ day, since, first, today }: Asked): string {
  if (day === null || since === null) return t("day.within", { range: shortRange(first, today) });
  return day >= first
    ? t("known.banner", { day: plainDay(day) })
    : t("known.before", { instant: instantText(since) });
}
