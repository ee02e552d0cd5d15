select
  id as legacyId,
  employee_id as workerId,
  policy_id as timeOffPolicyId,
  case when second_part_of_day = 'true' then start_date || 'T12:00' else start_date end as startAt,
  case when first_part_of_day = 'true' then end_date || 'T12:00' else end_date end as endAt,
  coalesce(request_date, start_date) as createdAt,
  hours as requestedMinutes,
  coalesce(status_code, status) as status,
  details as reason,
  _file,
  _line
from leave_requests
where
  lower(coalesce(status_code, status, '')) not in ('canceled', 'cancelled')
  and not exists (
    select 1
    from leave_requests later
    where later.id = leave_requests.id and later.rowid > leave_requests.rowid
  )
