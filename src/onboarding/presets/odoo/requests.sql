select
  l.id as legacyId,
  employee_id ->> 0 as workerId,
  holiday_status_id ->> 0 as timeOffPolicyId,
  case
    when t.request_unit = 'half_day' and request_date_from_period = 'pm' then request_date_from || 'T12:00'
    else request_date_from
  end as startAt,
  case
    when t.request_unit = 'half_day' and request_date_to_period = 'am' then request_date_to || 'T12:00'
    else request_date_to
  end as endAt,
  substr(create_date, 1, 10) as createdAt,
  number_of_hours as requestedMinutes,
  state as status,
  l._file as _file,
  l._line as _line
from leaves l join leave_types t on t.id = l.holiday_status_id ->> 0
where coalesce(state, '') not in ('cancel', 'draft')
