select
  name as legacyId,
  employee as workerId,
  leave_type as timeOffPolicyId,
  from_date as startAt,
  to_date as endAt,
  coalesce(posting_date, from_date) as createdAt,
  total_leave_days as requestedMinutes,
  status,
  nullif(description, '') as reason,
  _file,
  _line
from applications
where status <> 'Cancelled'
