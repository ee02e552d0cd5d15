select
  "Employee ID" || '|' || "Time Off Type" || '|' || "Time Off Date" as legacyId,
  "Employee ID" as workerId,
  "Time Off Type" as timeOffPolicyId,
  "Time Off Date" as startAt,
  "Time Off Date" as endAt,
  coalesce("Request Date", "Time Off Date") as createdAt,
  Quantity as requestedMinutes,
  Unit as unit,
  Status as status,
  Comment as reason,
  _file,
  _line
from time_off
where coalesce(Status, '') not in ('Canceled', 'Cancelled', 'Rescinded', 'Not Submitted')
