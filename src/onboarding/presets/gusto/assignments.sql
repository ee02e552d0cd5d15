select e.uuid as workerId, p.uuid as policyId, e.jobs ->> '$[0].hire_date' as assignedAt
from
  time_off_policies p,
  json_each(p.employees) member
  join employees e on e.uuid = member.value ->> 'uuid'
where p.policy_type in ('vacation', 'sick')
