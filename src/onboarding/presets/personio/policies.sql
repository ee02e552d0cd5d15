-- After pairs.sql.
,
  types as (
    select
      coalesce(attributes ->> '$.time_off_type.attributes.id_v2', attributes ->> '$.time_off_type.attributes.id') as type,
      attributes ->> '$.time_off_type.attributes.name' as name
    from time_offs
    union
    select attributes ->> '$.absence_type.attributes.id', attributes ->> '$.absence_type.attributes.name'
    from periods
  )
select
  type as legacyId,
  max(name) as name,
  max(name) as timeOffTypeName,
  case when type in limited then 'yearly' else 'unlimited' end as schedule,
  case when type in limited then 0 end as minutesPerPeriod
from types
group by type
