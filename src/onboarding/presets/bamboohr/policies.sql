select
  policy as legacyId,
  max(name) || substr(policy, length(type) + 1) as name,
  max(name) as timeOffTypeName,
  case when isLimited then 'yearly' else 'unlimited' end as schedule,
  case when isLimited then 0 end as minutesPerPeriod
from pairs
group by policy
