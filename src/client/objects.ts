// The API's objects, as the contract defines them. The published package has them written out (src/web/build/client-types.ts).
export type { Assignment } from "../resources/assignments.ts";
export type { Balance, BalanceExplanation } from "../resources/balances.ts";
export type { Capacity } from "../resources/capacity.ts";
export type { Close, CloseDifference } from "../resources/closes.ts";
export type { CompanyObject as Company } from "../resources/company.ts";
export type { DayOfLeave } from "../resources/days.ts";
export type { Department } from "../resources/departments.ts";
export type { Holiday } from "../resources/holidays.ts";
export type { Expiration, Movement } from "../resources/movements.ts";
export type { Policy } from "../resources/policies.ts";
export type { LeavePreview } from "../resources/preview.ts";
export type { TimeOffRequest } from "../resources/requests.ts";
export type { WorkSchedule } from "../resources/schedules.ts";
export type { Worker } from "../resources/workers.ts";
export type { Workplace } from "../resources/workplaces.ts";
