with
  everybody as (
    select
      id,
      first_name,
      last_name,
      nullif(email, '') as email,
      position,
      team,
      reports_to_employee_id,
      employment_start_date,
      termination_date,
      false as isGone,
      today,
      _file,
      _line
    from employees
    union all
    select id, first_name, last_name, nullif(email, ''), position, null, null, employment_start_date, termination_date, true, today, _file, _line
    from terminated t
    where not exists (select 1 from employees e where e.id = t.id)
  )
select
  id as legacyId,
  first_name as firstName,
  last_name as lastName,
  coalesce(email, id || '@no-email.invalid') as email,
  email as workEmail,
  position,
  team as department,
  (select m.id from everybody m where m.id = everybody.reports_to_employee_id) as managerId,
  employment_start_date as startDate,
  termination_date as endDate,
  case
    when termination_date < coalesce(today, date('now')) or (isGone and termination_date is null) then 'inactive'
    when employment_start_date > coalesce(today, date('now')) then 'onboarding'
    else 'active'
  end as status,
  _file,
  _line
from everybody
