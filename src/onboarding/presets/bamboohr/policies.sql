with
  types as (
    select cast(type ->> 'id' as text) as id, type ->> 'name' as name
    from requests
    union all
    select timeOffType, name
    from balances
  ),
  limited as (
    select timeOffType
    from balances
    group by timeOffType
    having max(policyType = 'discretionary') = 0
  )
select
  id as legacyId,
  max(name) as name,
  max(name) as timeOffTypeName,
  case when id in limited then 'yearly' else 'unlimited' end as schedule,
  case when id in limited then 0 end as minutesPerPeriod
from types
group by id
