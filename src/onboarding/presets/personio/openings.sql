with
  known as (
    select distinct
      b.employee_id,
      coalesce(attributes ->> '$.time_off_type.attributes.id_v2', attributes ->> '$.time_off_type.attributes.id') as type,
      b.date,
      b.balance,
      b._file,
      b._line
    from balances b join time_offs on attributes ->> '$.time_off_type.attributes.id' = b.id
  ),
  limited as (
    select type
    from known
    group by type
    having max(abs(balance)) > 0
  ),
  pairs as (
    select
      cast(attributes ->> '$.employee.attributes.id.value' as text) as employee_id,
      coalesce(attributes ->> '$.time_off_type.attributes.id_v2', attributes ->> '$.time_off_type.attributes.id') as type
    from time_offs
    union
    select employee_id, type
    from known
  )
select
  p.employee_id as workerId,
  p.type as policyId,
  coalesce(k.date, (select max(date) from balances)) as date,
  coalesce(k.balance, '0') as minutes,
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
