select
  id as legacyId,
  employee_id as workerId,
  leave_type_id as timeOffPolicyId,
  start_on as startAt,
  coalesce(finish_on, start_on) as endAt,
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
