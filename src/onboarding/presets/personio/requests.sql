select
  coalesce(attributes ->> '$.id_v2', attributes ->> '$.id') as legacyId,
  attributes ->> '$.employee.attributes.id.value' as workerId,
  coalesce(attributes ->> '$.time_off_type.attributes.id_v2', attributes ->> '$.time_off_type.attributes.id') as timeOffPolicyId,
  substr(attributes ->> '$.start_date', 1, 10)
  || case when attributes ->> '$.half_day_start' in (1, 'true') then 'T12:00' else '' end as startAt,
  substr(attributes ->> '$.end_date', 1, 10)
  || case when attributes ->> '$.half_day_end' in (1, 'true') then 'T12:00' else '' end as endAt,
  substr(coalesce(attributes ->> '$.created_at', attributes ->> '$.start_date'), 1, 10) as createdAt,
  attributes ->> '$.days_count' as requestedMinutes,
  attributes ->> '$.status' as status,
  nullif(attributes ->> '$.comment', '') as reason,
  _file,
  _line
from time_offs
