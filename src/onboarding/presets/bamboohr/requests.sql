with
  -- A discretionary policy has no balance: those who have it are under a policy of its own.
  discretionary as (
    select employeeId, timeOffType as type
    from balances
    where policyType = 'discretionary'
  ),
  limited as (
    select distinct timeOffType as type
    from balances
    where policyType <> 'discretionary'
  ),
  used as (
    select employeeId, cast(type ->> 'id' as text) as type, type ->> 'name' as name
    from requests
    union
    select employeeId, timeOffType, name
    from balances
  ),
  pairs as (
    select
      u.employeeId,
      u.type,
      max(u.name) as name,
      d.type is null and l.type is not null as isLimited,
      u.type || case when d.type is not null and l.type is not null then ' discretionary' else '' end as policy
    from
      used u
      left join limited l on l.type = u.type
      left join discretionary d on d.type = u.type and d.employeeId = u.employeeId
    group by u.employeeId, u.type
  )
select
  r.id as legacyId,
  r.employeeId as workerId,
  p.policy as timeOffPolicyId,
  r.start as startAt,
  r."end" as endAt,
  r.created as createdAt,
  r.amount ->> 'amount' as requestedMinutes,
  r.amount ->> 'unit' as unit,
  r.status ->> 'status' as status,
  r.notes ->> 'employee' as reason,
  r._file as _file,
  r._line as _line
from
  requests r
  left join pairs p on p.employeeId = r.employeeId and p.type = cast(r.type ->> 'id' as text)
where
  coalesce(r.status ->> 'status', '') not in ('canceled', 'cancelled', 'superseded', 'superceded')
  -- Leave over the end of a quarter comes with both.
  and not exists (
    select 1
    from requests later
    where later.id = r.id and later.rowid > r.rowid
  )
