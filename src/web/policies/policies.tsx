// Every policy, in plain words.
import { useMemo } from "react";
import { Link } from "wouter";
import { usePolicies } from "../data/queries.ts";
import { Empty, failureOf, Loading } from "../parts/states.tsx";
import { useTitle } from "../parts/title.ts";
import { timeOffTypes } from "../parts/tones.ts";
import { accrualText, paidText } from "./words.ts";

export function Policies() {
  useTitle("Policies");
  const policies = usePolicies();
  const types = useMemo(() => timeOffTypes(policies.data ?? []), [policies.data]);
  return (
    <div className="column">
      <div className="head">
        <h1>Policies</h1>
      </div>
      {failureOf(policies) ??
        (policies.data === undefined ? (
          <Loading what="Loading policies…" />
        ) : policies.data.length === 0 ? (
          <Empty>There are no policies yet.</Empty>
        ) : (
          <ul className="policies">
            {policies.data.map((policy) => {
              const type = types.find(({ id }) => id === policy.timeOffTypeId);
              return (
                <li key={policy.id} className="panel">
                  <h2>
                    <Link href={`/policies/${policy.id}`}>{policy.name}</Link>
                  </h2>
                  <p>{accrualText(policy)}</p>
                  {policy.description !== null && <p className="soft">{policy.description}</p>}
                  <p className="tags small">
                    <span className="tag">
                      <span className={`swatch ${type?.tone ?? "tone-none"}`} aria-hidden="true" />
                      {policy.timeOffTypeName}
                    </span>
                    <span className="tag">{paidText(policy)}</span>
                    <span className="tag">Counted in {policy.unit}s</span>
                  </p>
                </li>
              );
            })}
          </ul>
        ))}
    </div>
  );
}
