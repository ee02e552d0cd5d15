select
  id as legacyId,
  first_name as firstName,
  last_name as lastName,
  email,
  email as workEmail,
  position,
  employment_start_date as startDate,
  termination_date as endDate,
  case when termination_date is null then 'active' else 'inactive' end as status,
  _file,
  _line
from employees
