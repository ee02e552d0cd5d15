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
  (
    lower(coalesce(status_code, status, '')) not in ('canceled', 'cancelled')
    -- Cancelled in one file, and not in another: that was saved on two days, too.
    or id in (
      select id
      from leave_requests
      where lower(coalesce(status_code, status, '')) not in ('canceled', 'cancelled')
    )
  )
  -- Leave over the end of a window comes with both. Another that comes twice was saved on two days, and is refused.
  and (
    start_date = end_date
    or rowid in (
      select max(rowid)
      from leave_requests
      group by id, start_date, end_date, hours, status, status_code
    )
  )
