select
  p.employee_id as workerId,
  p.type as policyId,
  substr(e.attributes ->> '$.hire_date.value', 1, 10) as assignedAt
from pairs p join employees e on cast(e.attributes ->> '$.id.value' as text) = p.employee_id
