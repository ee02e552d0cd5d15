select
  id as legacyId,
  employee_id as workerId,
  policy_id as timeOffPolicyId,
  start_date as startAt,
  end_date as endAt,
  coalesce(request_date, start_date) as createdAt,
  hours as requestedMinutes,
  status,
  details as reason,
  _file,
  _line
from leave_requests
where coalesce(status, '') not in ('Canceled', 'Cancelled')
