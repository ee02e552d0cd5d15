// Me: what somebody who is signed in has, gets next and loses by when, what they have asked for, and the way to their team.
import { Link } from "wouter";
import { useServer, useWorker } from "../data/queries.ts";
import { seesAway, visibleWorkers } from "../session.ts";
import { t } from "../texts/texts.tsx";
import { Person } from "./person.tsx";

export function Me({ workerId }: { readonly workerId: string }) {
  const { access } = useServer();
  const { data } = useWorker(workerId);
  const reach = visibleWorkers(access);
  const calendar = reach === "company" ? "/" : "/away";
  // People with the same manager, and those whose manager the person is.
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
