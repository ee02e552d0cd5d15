with
  pairs as (
    select member.value ->> 'uuid' as worker, p.uuid as policy
    from time_off_policies p, json_each(p.employees) member
    union
    select employee ->> 'uuid', coalesce(policy_uuid, 'no policy: ' || policy_type)
    from time_off_requests
  ),
  hires as (
    select e.uuid, j.value ->> 'hire_date' as day
    from employees e, json_each(e.jobs) j
  ),
  ends as (
    select e.uuid, t.value ->> 'effective_date' as day
    from employees e, json_each(e.terminations) t
  ),
  gaps as (
    select
      x.uuid,
      date(x.day, '+1 day') || '/' || date(min(h.day), '-1 day') as pause
    from ends x join hires h on h.uuid = x.uuid and h.day > date(x.day, '+1 day')
    group by x.uuid, x.day
  )
select
  p.worker as workerId,
  p.policy as policyId,
  (select min(day) from hires h where h.uuid = p.worker) as startsOn,
  (select group_concat(pause, '; ') from gaps g where g.uuid = p.worker) as gaps
from pairs p join employees e on e.uuid = p.worker
-- As in workers.sql.
where e.onboarded = 'true' or exists (select 1 from hires h where h.uuid = e.uuid and h.day is not null)
