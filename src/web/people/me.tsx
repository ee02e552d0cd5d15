// "Me": a signed-in person's balances, next grants and losses, requests, and the link to their team.
import { Link } from "wouter";
import { teamCalendar } from "../away/settings.ts";
import { useServer, useWorker } from "../data/queries.ts";
import { t } from "../texts/texts.ts";
import { Person } from "./person.tsx";

export function Me({ workerId }: { readonly workerId: string }) {
  const { access } = useServer();
  const { data } = useWorker(workerId);
  const team = data && teamCalendar(access, data);
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
