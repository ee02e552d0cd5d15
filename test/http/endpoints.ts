// All endpoints of the contract, for the tests of rules that they share.
import { listBalances, retrieveBalance } from "../../src/resources/balances.ts";
import { listChanges } from "../../src/resources/changes.ts";
import { retrieveCompany } from "../../src/resources/company.ts";
import { ENDPOINTS as CONTRACTS } from "../../src/resources/registry.ts";
import type { EndpointContract, ListContract, RetrieveContract } from "../../src/resources/resource.ts";

export interface ListCase {
  readonly name: string;
  readonly contract: ListContract;
  readonly path: string;
  /** A well-formed id of the listed kind that does not exist. */
  readonly absentId: string;
  /** Ids of other kinds, which are not cursors of this list. */
  readonly wrongKindIds: readonly string[];
}

export const LISTS: readonly ListCase[] = [
  {
    name: "workers",
    contract: CONTRACTS.workers.list,
    path: "/v1/workers",
    absentId: "wrk_absent",
    wrongKindIds: ["top_a", "tor_a", "toa_a", "tob_01aa", "tot_a", "E00042"],
  },
  {
    name: "policies",
    contract: CONTRACTS.policies.list,
    path: "/v1/time_off/policies",
    absentId: "top_absent",
    wrongKindIds: ["wrk_a", "tor_a", "toa_a", "tob_01aa", "tot_a", "vacation"],
  },
  {
    name: "requests",
    contract: CONTRACTS.requests.list,
    path: "/v1/time_off/requests",
    absentId: "absent-request",
    wrongKindIds: ["wrk_a", "top_a", "toa_a", "tob_01aa", "tot_a"],
  },
  {
    name: "balances",
    contract: listBalances,
    path: "/v1/time_off/balances",
    absentId: "tob_06absentannual",
    wrongKindIds: [
      "top_a",
      "tor_a",
      "toa_a",
      "tot_a",
      "E00042",
      "tob_aa",
      "tob_00aa",
      "tob_99aa",
      "tob_02aa",
    ],
  },
  {
    name: "assignments",
    contract: CONTRACTS.assignments.list,
    path: "/v1/time_off/assignments",
    absentId: "absent-assignment",
    wrongKindIds: ["wrk_a", "top_a", "tor_a", "tob_01aa", "tot_a"],
  },
];

export interface RetrievalCase {
  readonly name: string;
  readonly contract: RetrieveContract;
  /** Of an object that every sample company has. */
  readonly id: string;
  readonly absentId: string;
  readonly prefix: string;
}

export const RETRIEVALS: readonly RetrievalCase[] = [
  {
    name: "worker",
    contract: CONTRACTS.workers.retrieve!,
    id: "wrk_ana",
    absentId: "wrk_absent",
    prefix: "/v1/workers/",
  },
  {
    name: "policy",
    contract: CONTRACTS.policies.retrieve!,
    id: "top_annual",
    absentId: "top_absent",
    prefix: "/v1/time_off/policies/",
  },
  {
    name: "request",
    contract: CONTRACTS.requests.retrieve!,
    id: "tor_1",
    absentId: "tor_absent",
    prefix: "/v1/time_off/requests/",
  },
  {
    name: "balance",
    contract: retrieveBalance,
    id: "tob_03anaannual",
    absentId: "tob_06absentannual",
    prefix: "/v1/time_off/balances/",
  },
];

/** A path of each endpoint that returns 200 for the sample company. */
export const ENDPOINTS: readonly {
  readonly name: string;
  readonly contract: EndpointContract;
  readonly path: string;
}[] = [
  { name: "company", contract: retrieveCompany, path: retrieveCompany.path },
  { name: "changes", contract: listChanges, path: listChanges.path },
  ...LISTS,
  ...RETRIEVALS.map((one) => ({ ...one, path: one.prefix + one.id })),
];
