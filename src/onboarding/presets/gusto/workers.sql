with
  hires as (
    select e.uuid, j.value ->> 'hire_date' as day, j.value ->> 'title' as title, j.value ->> 'primary' as isPrimary
    from employees e, json_each(e.jobs) j
  ),
  ends as (
    select e.uuid, t.value ->> 'effective_date' as day
    from employees e, json_each(e.terminations) t
  ),
  spans as (
    select
      e.uuid,
      (select min(h.day) from hires h where h.uuid = e.uuid) as firstDay,
      -- Whoever is hired again from a later day on has left until then.
      case when coalesce(e.terminated, 'false') = 'false' then
        (select min(h.day) from hires h where h.uuid = e.uuid and h.day > x.day)
      end as rehireDay,
      x.day as lastDay
    from employees e left join (select uuid, max(day) as day from ends group by uuid) x on x.uuid = e.uuid
  )
select
  e.uuid as legacyId,
  e.first_name as firstName,
  e.last_name as lastName,
  e.preferred_first_name as preferredName,
  coalesce(e.email, e.work_email, e.uuid || '@no-email.invalid') as email,
  e.work_email as workEmail,
  (select h.title from hires h where h.uuid = e.uuid order by h.isPrimary desc, h.day desc limit 1) as position,
  e.department,
  m.uuid as managerId,
  s.firstDay as startDate,
  case when s.rehireDay is null then s.lastDay end as endDate,
  s.rehireDay as latestRehireDate,
  case
    when e.terminated = 'true' then 'inactive'
    when e.onboarded = 'false' or coalesce(s.rehireDay, s.firstDay) > coalesce(e.today, date('now')) then 'onboarding'
    else 'active'
  end as status,
  e._file as _file,
  e._line as _line
from
  employees e
  join spans s on s.uuid = e.uuid
  left join spans m on m.uuid = e.manager_uuid and m.firstDay is not null
-- An onboarding that has not come to a job yet: nobody works here by it.
where s.firstDay is not null or e.onboarded = 'true'
