select distinct
  r.employee_id as workerId,
  r.policy_id as policyId,
  e.employment_start_date as assignedAt
from leave_requests r join employees e on e.id = r.employee_id
