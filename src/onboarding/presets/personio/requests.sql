select
  coalesce(attributes ->> '$.id_v2', attributes ->> '$.id') as legacyId,
  attributes ->> '$.employee.attributes.id.value' as workerId,
  coalesce(attributes ->> '$.time_off_type.attributes.id_v2', attributes ->> '$.time_off_type.attributes.id') as timeOffPolicyId,
  substr(attributes ->> '$.start_date', 1, 10)
  || case when attributes ->> '$.half_day_start' in (1, 'true') then 'T12:00' else '' end as startAt,
  coalesce(
    substr(attributes ->> '$.end_date', 1, 10),
    max(coalesce(today, date('now')), substr(attributes ->> '$.start_date', 1, 10))
  )
  || case when attributes ->> '$.half_day_end' in (1, 'true') then 'T12:00' else '' end as endAt,
  substr(coalesce(attributes ->> '$.created_at', attributes ->> '$.start_date'), 1, 10) as createdAt,
  attributes ->> '$.days_count' as requestedMinutes,
  null as dayMinutes,
  attributes ->> '$.status' as status,
  nullif(attributes ->> '$.comment', '') as reason,
  null as timeZone,
  _file,
  _line
from time_offs
where coalesce(lower(attributes ->> '$.status'), '') not in ('canceled', 'cancelled')
union all
-- Absences that are counted in hours: their times are instants, and their amounts minutes.
select
  attributes ->> '$.id',
  attributes ->> '$.employee.attributes.id.value',
  attributes ->> '$.absence_type.attributes.id',
  attributes ->> '$.start',
  coalesce(
    attributes ->> '$.end',
    max(coalesce(today, date('now')), date(attributes ->> '$.start', '+1 day')) -- the start may be its local midnight, in UTC
  ),
  substr(attributes ->> '$.created_at', 1, 10),
  (attributes ->> '$.effective_duration') || ' min',
  case
    when (select sum(b.value ->> 'effective_duration') from json_each(attributes, '$.breakdowns') b)
      = attributes ->> '$.effective_duration'
      then (
        select group_concat((b.value ->> 'date') || ':' || (b.value ->> 'effective_duration'), '; ')
        from json_each(attributes, '$.breakdowns') b
        where b.value ->> 'effective_duration' > 0
      )
  end,
  attributes ->> '$.status',
  nullif(attributes ->> '$.comment', ''),
  nullif(attributes ->> '$.timezone', ''),
  _file,
  _line
from periods
where coalesce(lower(attributes ->> '$.status'), '') not in ('canceled', 'cancelled')
