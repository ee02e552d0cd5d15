select
  e.uuid as workerId,
  p.uuid as policyId,
  p.date,
  member.value ->> 'balance' as minutes,
  p._file,
  p._line
from
  time_off_policies p,
  json_each(p.employees) member
  join employees e on e.uuid = member.value ->> 'uuid'
where
  p.policy_type in ('vacation', 'sick')
  and p.accrual_method <> 'unlimited'
  and member.value ->> 'balance' is not null
  and e.jobs ->> '$[0].hire_date' <= p.date
