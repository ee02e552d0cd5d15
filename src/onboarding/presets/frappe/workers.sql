select
  name as legacyId,
  first_name as firstName,
  coalesce(nullif(last_name, ''), first_name) as lastName,
  coalesce(nullif(company_email, ''), nullif(personal_email, ''), name || '@no-email.invalid') as email,
  nullif(company_email, '') as workEmail,
  designation as position,
  department,
  branch as location,
  nullif(reports_to, '') as managerId,
  date_of_joining as startDate,
  relieving_date as endDate,
  case when status = 'Active' and date_of_joining > coalesce(today, date('now')) then 'onboarding' else status end as status,
  employment_type as type,
  _file,
  _line
from employees
