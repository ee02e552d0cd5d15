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
  pairs as (
    select employee_id, leave_type_id as type
    from leaves
    union
    select employee_id, type
    from known
  ),
  today as (
    select max(date) as day
    from known
  )
select
  p.employee_id as workerId,
  p.type as policyId,
  day as date,
  coalesce(
    (select sum(amount) from known k where k.employee_id = p.employee_id and k.type = p.type),
    0
  ) as minutes,
  (select max(unit) from known k where k.type = p.type) as unit
from pairs p join employees e on e.id = p.employee_id join today
where
  p.type in (select type from known)
  and coalesce(
    (select min(c.starts_on) from contracts c where c.employee_id = e.id),
    substr(e.created_at, 1, 10)
  ) <= day
