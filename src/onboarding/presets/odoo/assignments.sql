with
  used as (
    select employee_id ->> 0 as employee, holiday_status_id ->> 0 as type
    from leaves
    union
    select employee_id ->> 0, holiday_status_id ->> 0
    from allocations
  )
select
  u.employee as workerId,
  u.type as policyId,
  coalesce(nullif(contract_date_start, 'false'), substr(create_date, 1, 10)) as assignedAt
from used u join employees e on e.id = u.employee
