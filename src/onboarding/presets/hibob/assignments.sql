select distinct
  c.employeeId as workerId,
  c.policyTypeDisplayName as policyId,
  p.work ->> 'startDate' as assignedAt
from changes c join people p on p.id = c.employeeId
