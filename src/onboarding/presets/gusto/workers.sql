select
  uuid as legacyId,
  first_name as firstName,
  last_name as lastName,
  preferred_first_name as preferredName,
  coalesce(email, work_email, uuid || '@no-email.invalid') as email,
  work_email as workEmail,
  jobs ->> '$[0].title' as position,
  department,
  jobs ->> '$[0].hire_date' as startDate,
  terminations ->> '$[0].effective_date' as endDate,
  case
    when terminated = 'true' then 'inactive'
    when onboarded = 'false' then 'onboarding'
    else 'active'
  end as status,
  _file,
  _line
from employees
