-- After stays.sql.
select
  e.id as legacyId,
  name as fullName,
  coalesce(nullif(work_email, 'false'), nullif(private_email, 'false'), e.id || '@no-email.invalid') as email,
  nullif(work_email, 'false') as workEmail,
  nullif(job_title, 'false') as position,
  nullif(department_id ->> 1, 'false') as department,
  nullif(work_location_id ->> 1, 'false') as location,
  parent_id ->> 0 as managerId,
  nullif(tz, 'false') as timeZone,
  firstDay as startDate,
  rehireDay as latestRehireDate,
  nullif(departure_date, 'false') as endDate,
  case
    when active = 'false' then 'inactive'
    when firstDay > coalesce(today, date('now')) then 'onboarding'
    else 'active'
  end as status,
  employee_type as type,
  e._file as _file,
  e._line as _line
from employees e join stays s on s.id = e.id
