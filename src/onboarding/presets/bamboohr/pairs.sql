-- After staff.sql.
,
  -- A discretionary policy has no balance: those who have it are under a policy of its own.
  discretionary as (
    select employeeId, timeOffType as type
    from balances
    where policyType = 'discretionary'
  ),
  limited as (
    select distinct timeOffType as type
    from balances
    where coalesce(policyType, '') <> 'discretionary'
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
