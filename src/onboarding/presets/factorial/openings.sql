-- After pairs.sql.
,
  today as (
    select max(date) as day
    from known
  ),
  -- A person may have several allowances of one type. Those of two files are two balances, which are refused.
  told as (
    select
      employee_id,
      type,
      case when count(amount) = count(*) then sum(amount) end as amount,
      _file,
      min(_line) as _line
    from known
    group by employee_id, type, _file
  )
select
  p.employee_id as workerId,
  p.type as policyId,
  day as date,
  case when t.type is null then 0 else t.amount end as minutes,
  (select max(unit) from known k where k.type = p.type) as unit,
  t._file as _file,
  t._line as _line
from
  pairs p
  join employees e on e.id = p.employee_id
  join today
  left join told t on t.employee_id = p.employee_id and t.type = p.type
where
  p.type in (select type from known)
  and coalesce(
    (select min(coalesce(c.starts_on, c.effective_on)) from contracts c where c.employee_id = e.id),
    substr(e.created_at, 1, 10)
  ) <= day
union all
-- A balance of nobody is refused.
select employee_id, type, date, amount, unit, _file, _line
from known
where employee_id is null
