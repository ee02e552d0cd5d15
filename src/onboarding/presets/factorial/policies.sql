-- After pairs.sql.
,
  named as (
    select leave_type_id as type, leave_type_name as name
    from leaves
    union all
    select id, name
    from leave_types
    where id in (select leave_type_id from leaves)
    union all
    select type, null
    from known
  )
select
  type as legacyId,
  coalesce(max(name), (select max(name) from known k where k.type = named.type)) as name,
  coalesce(max(name), (select max(name) from known k where k.type = named.type)) as timeOffTypeName,
  case when (select payable from leave_types t where t.id = named.type) = 'false' then 'no' else 'yes' end as paid,
  -- Whether people work during it.
  case (select workable from leave_types t where t.id = named.type) when 'true' then 'no' when 'false' then 'yes' end as isAbsence,
  case when type in (select type from known) then 'yearly' else 'unlimited' end as schedule,
  case when type in (select type from known) then 0 end as minutesPerPeriod
from named
group by type
