// All policies in plain words, and one policy with the people who have it.
import { useMemo } from "react";
import type { Policy } from "../../client/index.ts";
import { filterPeople, NO_FILTER, NO_WORKERS, worksIn } from "../data/directory.ts";
import { peopleCount } from "../data/format.ts";
import { useHolders, usePolicies, usePolicy, useServer, useToday, useWorkers } from "../data/queries.ts";
import { useSettings } from "../data/settings.ts";
import { useTimeOffTypes } from "../data/time-off-types.ts";
import { Export, type Sheet, sheetWith } from "../parts/export.tsx";
import { KnownLink, PeopleTable, Swatch } from "../parts/people-table.tsx";
import { SearchField } from "../parts/search.tsx";
import {
  Empty,
  Facts,
  failureOf,
  failureOrLoading,
  Loading,
  useTitle,
  viewFailureOf,
} from "../parts/states.tsx";
import { visibleWorkers } from "../session.ts";
import { t } from "../texts/texts.ts";
import { grantText, ruleTexts } from "./rules.ts";

export function Policies() {
  useTitle(t("view.policies"));
  const policies = usePolicies();
  const types = useTimeOffTypes();
  const { having } = useHaving(useMemo(() => (policies.data ?? []).map(({ id }) => id), [policies.data]));
  const seesOthers = useSeesOthers();
  return (
    <div className="column">
      <div className="head">
        <h1>{t("view.policies")}</h1>
        {policies.data !== undefined && policies.data.length > 0 && (
          <Export sheet={() => sheetOf(policies.data)} path="/v1/time_off/policies" />
        )}
      </div>
      {failureOf(policies) ??
        (policies.data === undefined ? (
          <Loading what={t("loading.policies")} />
        ) : policies.data.length === 0 ? (
          <Empty>{t("policies.none")}</Empty>
        ) : (
          <ul className="policies">
            {policies.data.map((policy) => {
              const type = types.find(({ id }) => id === policy.timeOffTypeId);
              return (
                <li key={policy.id} className="panel">
                  <h2>
                    <KnownLink href={`/policies/${policy.id}`}>{policy.name}</KnownLink>
                  </h2>
                  <p>{grantText(policy)}</p>
                  <RuleList policy={policy} />
                  {policy.description !== null && (
                    <p className="soft">
                      <bdi>{policy.description}</bdi>
                    </p>
                  )}
                  <p className="tags small">
                    <span className="tag">
                      <Swatch type={type} />
                      {policy.timeOffTypeName}
                    </span>
                    <span className="tag">{paidText(policy)}</span>
                    <span className="tag">{countedText(policy)}</span>
                    {seesOthers && having !== null && (
                      <KnownLink className="tag" href={`/policies/${policy.id}`}>
                        {peopleCount(having.get(policy.id)?.length ?? 0)}
                      </KnownLink>
                    )}
                  </p>
                </li>
              );
            })}
          </ul>
        ))}
    </div>
  );
}

/** By policy, the people who have it today: both employment and assignment include today. Null until loaded. */
function useHaving(policyIds: readonly string[]) {
  const holders = useHolders(policyIds);
  const workers = useWorkers();
  const today = useToday();
  const having = useMemo(() => {
    if (holders.data === undefined || workers.data === undefined) return null;
    const now = { first: today, end: today + 1 };
    const having = holders.data.filter(({ startsOn, assignedAt, endsOn }) =>
      worksIn(now, { startDate: startsOn ?? assignedAt, endDate: endsOn }),
    );
    const here = workers.data.filter((worker) => worksIn(now, worker));
    const assigned = Map.groupBy(having, ({ policyId }) => policyId);
    return new Map(
      [...assigned].map(([policyId, own]) => {
        const ids = new Set(own.map(({ workerId }) => workerId));
        return [policyId, here.filter(({ id }) => ids.has(id))];
      }),
    );
  }, [holders.data, workers.data, today]);
  return { holders, workers, having };
}

/** Whether to show who has a policy. A viewer who sees only themselves gets no list. */
const useSeesOthers = () => visibleWorkers(useServer().access) !== "self";

function RuleList({ policy }: { readonly policy: Policy }) {
  const texts = ruleTexts(policy);
  return (
    texts.length > 0 && (
      <ul className="rules">
        {texts.map((text) => (
          <li key={text}>{text}</li>
        ))}
      </ul>
    )
  );
}

function sheetOf(policies: readonly Policy[]): Sheet {
  return sheetWith(t("view.policies"), policies, {
    [t("field.policy")]: ({ name }) => name,
    [t("field.kind")]: ({ timeOffTypeName }) => timeOffTypeName,
    [t("field.pay")]: paidText,
    [t("field.grants")]: grantText,
    [t("field.rules")]: (policy) => ruleTexts(policy).join(" "),
    [t("field.unit")]: countedText,
    [t("field.description")]: ({ description }) => description,
  });
}

export function PolicyPage({ id }: { readonly id: string }) {
  const policy = usePolicy(id);
  const seesOthers = useSeesOthers();
  useTitle(policy.data?.name ?? t("field.policy"));
  return (
    <div className="column">
      <p className="crumb small">
        <KnownLink href="/policies">{t("view.policies")}</KnownLink>
      </p>
      {viewFailureOf(policy) ??
        (policy.data === undefined ? (
          <Loading what={t("loading.policy")} />
        ) : (
          <>
            <Heading policy={policy.data} />
            {seesOthers && <Holders policyId={id} />}
          </>
        ))}
    </div>
  );
}

function Heading({ policy }: { readonly policy: Policy }) {
  return (
    <header>
      <h1>{policy.name}</h1>
      <p className="lead">{grantText(policy)}</p>
      <RuleList policy={policy} />
      {policy.description !== null && (
        <p>
          <bdi>{policy.description}</bdi>
        </p>
      )}
      <Facts
        className="across"
        facts={{
          [t("field.kind")]: policy.timeOffTypeName,
          [t("field.pay")]: paidText(policy),
          [t("field.unit")]: countedText(policy),
        }}
      />
    </header>
  );
}

function Holders({ policyId }: { readonly policyId: string }) {
  const policyIds = useMemo(() => [policyId], [policyId]);
  const { holders, workers, having: all } = useHaving(policyIds);
  const { search, change } = useSettings();
  const name = search.get("name") ?? "";
  const having = all?.get(policyId) ?? NO_WORKERS;
  const shown = useMemo(() => filterPeople(having, { ...NO_FILTER, name }), [having, name]);
  return (
    <section aria-labelledby="holders">
      <h2 id="holders">{t("policy.holders")}</h2>
      {failureOrLoading(t("loading.people"), holders, workers) ??
        (having.length === 0 ? (
          <Empty>{t("policy.nobody")}</Empty>
        ) : (
          <>
            <div className="filters">
              <SearchField
                label={t("policy.search")}
                placeholder={t("search.placeholder")}
                value={name}
                onChange={(text) => change({ name: text })}
              />
            </div>
            <p className="summary soft small" role="status">
              {peopleCount(shown.length)}
            </p>
            <PeopleTable name={t("policy.holders")} people={shown} />
          </>
        ))}
    </section>
  );
}

const paidText = ({ paid }: Policy) => t(paid ? "policy.paid" : "policy.unpaid");
const countedText = ({ unit }: Policy) => t(`policy.unit.${unit}`);
