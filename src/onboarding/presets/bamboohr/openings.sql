with
  limited as (
    select timeOffType
    from balances
    group by timeOffType
    having max(policyType = 'discretionary') = 0
  ),
  pairs as (
    select employeeId, cast(type ->> 'id' as text) as type
    from requests
    union
    select employeeId, timeOffType
    from balances
  )
select
  p.employeeId as workerId,
  p.type as policyId,
  coalesce(b.end, (select max(end) from balances)) as date,
  coalesce(b.balance, '0') as minutes,
  coalesce(b.units, 'hours') as unit,
  b._file as _file,
  b._line as _line
from
  pairs p
  join employees e on e.id = p.employeeId
  left join balances b on b.employeeId = p.employeeId and b.timeOffType = p.type
where p.type in limited and e.hireDate <= coalesce(b.end, (select max(end) from balances))
