select
  id as legacyId,
  name as fullName,
  coalesce(nullif(work_email, 'false'), nullif(private_email, 'false'), id || '@no-email.invalid') as email,
  nullif(work_email, 'false') as workEmail,
  nullif(job_title, 'false') as position,
  nullif(department_id ->> 1, 'false') as department,
  nullif(work_location_id ->> 1, 'false') as location,
  parent_id ->> 0 as managerId,
  nullif(tz, 'false') as timeZone,
  coalesce(nullif(contract_date_start, 'false'), substr(create_date, 1, 10)) as startDate,
  nullif(departure_date, 'false') as endDate,
  case
    when active = 'false' then 'inactive'
    when nullif(contract_date_start, 'false') > coalesce(today, date('now')) then 'onboarding'
    else 'active'
  end as status,
  employee_type as type,
  _file,
  _line
from employees
