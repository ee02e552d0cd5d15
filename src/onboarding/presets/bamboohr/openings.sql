select
  p.employeeId as workerId,
  p.policy as policyId,
  coalesce(b.end, (select max(end) from balances)) as date,
  case when b.employeeId is null then '0' else b.balance end as minutes,
  coalesce(b.units, 'hours') as unit,
  b._file as _file,
  b._line as _line
from
  pairs p
  join staff e on e.id = p.employeeId
  left join balances b on b.employeeId = p.employeeId and b.timeOffType = p.type
where
  p.isLimited
  and not exists (
    select 1
    from balances later
    where later.employeeId = b.employeeId and later.timeOffType = b.timeOffType and later.rowid > b.rowid
  )
  and e.hireDate <= coalesce(b.end, (select max(end) from balances))
