select
  p.employeeId as workerId,
  p.policy as policyId,
  coalesce(b.end, (select max(end) from balances)) as date,
  case when b.employeeId is null then '0' else b.balance end as minutes,
  case when b.employeeId is null then 'hours' else b.units end as unit,
  b._file as _file,
  b._line as _line
from
  pairs p
  join staff e on e.id = p.employeeId
  left join (
    -- Who is in the report twice has a balance twice: the last row of each counts.
    select *, max(rowid)
    from balances
    group by employeeId, timeOffType, balance, units, end
  ) b on b.employeeId = p.employeeId and b.timeOffType = p.type
where p.isLimited and e.hireDate <= coalesce(b.end, (select max(end) from balances))
union all
-- A balance of nobody is refused.
select employeeId, timeOffType, end, balance, units, _file, _line
from balances
where employeeId is null
