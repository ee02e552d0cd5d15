select
  p.id as legacyId,
  p.first_name as firstName,
  p.last_name as lastName,
  p.preferred_name as preferredName,
  coalesce(p.email, p.id || '@no-email.invalid') as email,
  p.email as workEmail,
  (
    select e.position ->> 'title'
    from employments e
    where e.person_id = p.id
    order by e.employment_start_date desc
    limit 1
  ) as position,
  (
    select e.supervisor ->> 'id'
    from employments e
    where e.person_id = p.id
    order by e.employment_start_date desc
    limit 1
  ) as managerId,
  (select min(e.employment_start_date) from employments e where e.person_id = p.id) as startDate,
  (
    select e.employment_end_date
    from employments e
    where e.person_id = p.id
    order by e.employment_start_date desc
    limit 1
  ) as endDate,
  case
    when (select min(e.employment_start_date) from employments e where e.person_id = p.id) > coalesce(p.today, date('now'))
      then 'onboarding'
    else p.status
  end as status,
  (
    select e.type
    from employments e
    where e.person_id = p.id
    order by e.employment_start_date desc
    limit 1
  ) as type,
  p._file as _file,
  p._line as _line
from persons p
