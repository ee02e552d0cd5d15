with
  everybody as (
    select id, employment_start_date
    from employees
    union
    select id, employment_start_date
    from terminated
  )
select r.employee_id as workerId, r.policy_id as policyId, min(e.employment_start_date) as assignedAt
from leave_requests r join everybody e on e.id = r.employee_id
group by r.employee_id, r.policy_id
