select
  e.id as legacyId,
  e.first_name as firstName,
  e.last_name as lastName,
  e.preferred_name as preferredName,
  coalesce(e.email, e.login_email, e.id || '@no-email.invalid') as email,
  e.login_email as workEmail,
  m.id as managerId,
  (
    select c.job_title
    from contracts c
    where c.employee_id = e.id
    order by
      coalesce(c.effective_on, c.starts_on) <= coalesce(e.today, date('now')) desc,
      coalesce(c.effective_on, c.starts_on) desc
    limit 1
  ) as position,
  coalesce(
    (select min(c.starts_on) from contracts c where c.employee_id = e.id),
    substr(e.created_at, 1, 10)
  ) as startDate,
  e.terminated_on as endDate,
  case
    when e.terminated_on < coalesce(e.today, date('now'))
    or (e.active = 'false' and e.terminated_on is null) then 'inactive'
    when (select min(c.starts_on) from contracts c where c.employee_id = e.id) > coalesce(e.today, date('now'))
      then 'onboarding'
    else 'active'
  end as status,
  e._file as _file,
  e._line as _line
from employees e left join employees m on m.id = e.manager_id
