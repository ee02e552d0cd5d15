select
  id as legacyId,
  employee_id as workerId,
  leave_type_id as timeOffPolicyId,
  case half_day when 'end_of_day' then start_on || 'T12:00' else start_on end as startAt,
  case
    when half_day like 'begg%' then coalesce(finish_on, start_on) || 'T12:00'
    else coalesce(finish_on, max(start_on, coalesce(today, date('now'))))
  end as endAt,
  substr(coalesce(created_at, start_on), 1, 10) as createdAt,
  case
    when hours_amount_in_cents is not null then hours_amount_in_cents * 0.6
    when half_day is not null then 240
  end as requestedMinutes,
  case approved when 'true' then 'approved' when 'false' then 'denied' else 'pending' end as status,
  description as reason,
  _file,
  _line
from leaves
