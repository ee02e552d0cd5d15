select
  p.employee_id as workerId,
  p.type as policyId,
  coalesce(
    (select min(c.starts_on) from contracts c where c.employee_id = e.id),
    substr(e.created_at, 1, 10)
  ) as assignedAt
from pairs p join employees e on e.id = p.employee_id
