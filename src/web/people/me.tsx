// Me: what a signed-in person has, gets next and will lose, their requests, and the link to their team.
import { Link } from "wouter";
import { useServer, useWorker } from "../data/queries.ts";
import { seesAway, visibleWorkers } from "../session.ts";
import { t } from "../texts/texts.ts";
import { Person } from "./person.tsx";

export function Me({ workerId }: { readonly workerId: string }) {
  const { access } = useServer();
  const { data } = useWorker(workerId);
  const reach = visibleWorkers(access);
  const calendar = reach === "company" ? "/" : "/away";
  // The person's colleagues with the same manager, and the person's reports.
  const managers = [workerId, data?.managerId ?? []].flat().join(",");
  const team =
    reach === "reports"
      ? "/team"
      : seesAway(access) && `${calendar}?${new URLSearchParams({ manager: managers, who: "everyone" })}`;
  return (
    <Person
      id={workerId}
      above={
        team && (
          <p className="small">
            <Link href={team}>{t("me.team")}</Link>
          </p>
        )
      }
    />
  );
}
