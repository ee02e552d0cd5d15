select
  id as legacyId,
  employeeId as workerId,
  type ->> 'id' as timeOffPolicyId,
  start as startAt,
  "end" as endAt,
  created as createdAt,
  amount ->> 'amount' as requestedMinutes,
  amount ->> 'unit' as unit,
  status ->> 'status' as status,
  notes ->> 'employee' as reason,
  _file,
  _line
from requests
where coalesce(status ->> 'status', '') not in ('canceled', 'superseded')
