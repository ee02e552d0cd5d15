-- After pairs.sql.
,
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
