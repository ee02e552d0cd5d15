select
  id as legacyId,
  firstName,
  lastName,
  coalesce(workEmail, homeEmail, id || '@no-email.invalid') as email,
  workEmail,
  jobTitle as position,
  department,
  preferredName,
  hireDate as startDate,
  nullif(terminationDate, '0000-00-00') as endDate,
  status,
  _file,
  _line
from employees
