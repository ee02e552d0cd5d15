-- After stays.sql.
select
  p.employee_id as workerId,
  p.type as policyId,
  coalesce(
    (select min(coalesce(c.starts_on, c.effective_on)) from contracts c where c.employee_id = e.id),
    substr(e.created_at, 1, 10)
  ) as assignedAt,
  (
    select group_concat(date(f.lastDayBefore, '+1 day') || '/' || date(f.firstDay, '-1 day'), '; ')
    from followed f
    where f.employee_id = e.id and f.lastDayBefore < date(f.firstDay, '-1 day')
  ) as gaps
from pairs p join employees e on e.id = p.employee_id
