select distinct p.employeeId as workerId, p.type as policyId, e.hireDate as assignedAt
from
  (
    select employeeId, cast(type ->> 'id' as text) as type
    from requests
    union
    select employeeId, timeOffType
    from balances
  ) p
  join employees e on e.id = p.employeeId
