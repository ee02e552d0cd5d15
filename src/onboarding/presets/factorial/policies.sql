with
  types as (
    select
      a.id,
      a.name,
      a.allowance_type,
      t.value as type,
      json_array_length(a.leave_type_ids) = 1
      and coalesce(a.unlimited_holidays, 'false') <> 'true' as isLimited
    from allowances a, json_each(a.leave_type_ids) t
  ),
  known as (
    select
      s.employee_id,
      cast(t.type as text) as type,
      t.name,
      t.allowance_type as unit,
      substr(s.id, -10) as date,
      s.available_days + s.used_days - s.used_units_until_reference_date as amount
    from stats s join types t on t.id = s.allowance_id
    where t.type in (select type from types group by type having min(isLimited))
  ),
  named as (
    select leave_type_id as type, leave_type_name as name
    from leaves
    union all
    select type, null
    from known
  )
select
  type as legacyId,
  coalesce(max(name), (select max(name) from known k where k.type = named.type)) as name,
  coalesce(max(name), (select max(name) from known k where k.type = named.type)) as timeOffTypeName,
  case when type in (select type from known) then 'yearly' else 'unlimited' end as schedule,
  case when type in (select type from known) then 0 end as minutesPerPeriod
from named
group by type
