select
  name as legacyId,
  employee as workerId,
  leave_type as timeOffPolicyId,
  from_date as startAt,
  to_date as endAt,
  coalesce(posting_date, from_date) as createdAt,
  total_leave_days as requestedMinutes,
  -- Until it is submitted, an approved application takes nothing.
  case when status = 'Approved' and docstatus = '0' then 'Open' else status end as status,
  nullif(description, '') as reason,
  _file,
  _line
from applications
where coalesce(status, '') <> 'Cancelled'
