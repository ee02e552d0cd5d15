-- After stays.sql.
select
  u.employee as workerId,
  u.type as policyId,
  s.firstDay as assignedAt,
  s.gaps
from
  (
    select employee_id ->> 0 as employee, holiday_status_id ->> 0 as type
    from leaves
    union
    select employee_id ->> 0, holiday_status_id ->> 0
    from allocations
  ) u
  join stays s on s.id = u.employee
