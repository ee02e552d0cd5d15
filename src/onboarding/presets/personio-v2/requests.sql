select
  id as legacyId,
  person ->> 'id' as workerId,
  absence_type ->> 'id' as timeOffPolicyId,
  substr(starts_from ->> 'date_time', 1, 10) as startAt,
  substr(coalesce(ends_at ->> 'date_time', starts_from ->> 'date_time'), 1, 10) as endAt,
  substr(created_at, 1, 10) as createdAt,
  case
    when substr(starts_from ->> 'date_time', 1, 10) = substr(ends_at ->> 'date_time', 1, 10)
    and starts_from ->> 'type' = ends_at ->> 'type' then 240
  end as requestedMinutes,
  approval ->> 'status' as status,
  nullif(comment, '') as reason,
  _file,
  _line
from periods
where coalesce(approval ->> 'status', '') not in ('CANCELED', 'CANCELLED')
