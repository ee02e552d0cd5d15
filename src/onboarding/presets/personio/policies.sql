-- After pairs.sql.
,
  types as (
    select
      coalesce(attributes ->> '$.time_off_type.attributes.id_v2', attributes ->> '$.time_off_type.attributes.id') as type,
      attributes ->> '$.time_off_type.attributes.name' as name,
      attributes ->> '$.time_off_type.attributes.category' as category
    from time_offs
    union
    select attributes ->> '$.absence_type.attributes.id', attributes ->> '$.absence_type.attributes.name', null
    from periods
  )
select
  type as legacyId,
  max(name) as name,
  max(name) as timeOffTypeName,
  case when max(category) like 'unpaid%' then 'no' else 'yes' end as paid,
  case when max(category) = 'offsite_work' then 'no' when max(category) <> '' then 'yes' end as isAbsence,
  case when type in limited then 'yearly' else 'unlimited' end as schedule,
  case when type in limited then 0 end as minutesPerPeriod
from types
group by type
