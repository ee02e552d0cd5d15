with
  everybody as (
    select id, first_name, last_name, email, position, employment_start_date, termination_date, _file, _line
    from employees
    union all
    select id, first_name, last_name, email, position, employment_start_date, termination_date, _file, _line
    from terminated t
    where not exists (select 1 from employees e where e.id = t.id)
  )
select
  id as legacyId,
  first_name as firstName,
  last_name as lastName,
  email,
  email as workEmail,
  position,
  employment_start_date as startDate,
  termination_date as endDate,
  case
    when termination_date < date('now') then 'inactive'
    when employment_start_date > date('now') then 'onboarding'
    else 'active'
  end as status,
  _file,
  _line
from everybody
