select
  p.employee_id as workerId,
  p.type as policyId,
  coalesce(k.date, (select max(date) from balances)) as date,
  case when k.type is null then '0' else k.balance end as minutes,
  k._file as _file,
  k._line as _line
from
  pairs p
  join employees e on cast(e.attributes ->> '$.id.value' as text) = p.employee_id
  left join known k on k.employee_id = p.employee_id and k.type = p.type
where
  p.type in limited
  and substr(e.attributes ->> '$.hire_date.value', 1, 10) <= coalesce(
    k.date,
    (select max(date) from balances)
  )
union all
-- A balance of nobody is refused.
select employee_id, id, date, balance, _file, _line
from balances
where employee_id is null
