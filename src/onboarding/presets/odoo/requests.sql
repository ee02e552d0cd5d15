select
  id as legacyId,
  employee_id ->> 0 as workerId,
  holiday_status_id ->> 0 as timeOffPolicyId,
  request_date_from as startAt,
  request_date_to as endAt,
  substr(create_date, 1, 10) as createdAt,
  number_of_hours as requestedMinutes,
  state as status,
  _file,
  _line
from leaves
where state not in ('cancel', 'draft')
