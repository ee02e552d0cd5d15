with
  used as (
    select employee, leave_type
    from applications
    union
    select employee, leave_type
    from ledger
  )
select u.employee as workerId, u.leave_type as policyId, e.date_of_joining as assignedAt
from used u join employees e on e.name = u.employee
