// A view as it was known at the end of a day (docs/api.md, What was known). The address has the day.
import { QueryClientProvider, useQueryClient } from "@tanstack/react-query";
import { type ReactNode, useMemo } from "react";
import { isRollcallError } from "../client/index.ts";
import { type Day, formatDay } from "../time/day.ts";
import { storedDay } from "./data/days.ts";
import { instantText, plainDay } from "./data/format.ts";
import { ServerContext, usePolicies, useServer, useToday } from "./data/queries.ts";
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
      <ServerContext value={session?.server ?? server}>
        <QueryClientProvider client={session?.queries ?? queries}>
          {day === null ? (
            children
          ) : (
            <AsKnown day={day} onNow={() => change({ known: null })} view={children} />
          )}
        </QueryClientProvider>
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

interface AsKnownProps {
  readonly day: Day;
  readonly onNow: () => void;
  readonly view: ReactNode;
}

/** The view below a banner; alone, the banner says since when something is known. */
function AsKnown({ day, onNow, view }: AsKnownProps) {
  const { error } = usePolicies(); // every view below needs them
  const isKnown = !isRollcallError(error, "not_known");
  const since = isKnown ? null : /\d{4}-[-\dT:.]+Z/.exec(error.detail ?? "")?.[0]; // as src/http/known-on.ts writes it
  return (
    <>
      <p className="notice small known" role="status">
        {isKnown
          ? t("known.banner", { day: plainDay(day) })
          : since
            ? t("known.before", { instant: instantText(since) })
            : t("error.not_known")}{" "}
        <button type="button" onClick={onNow}>
          {t("known.now")}
        </button>
      </p>
      {isKnown && view}
    </>
  );
}
