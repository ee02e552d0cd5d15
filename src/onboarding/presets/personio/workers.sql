select
  attributes ->> '$.id.value' as legacyId,
  attributes ->> '$.first_name.value' as firstName,
  attributes ->> '$.last_name.value' as lastName,
  attributes ->> '$.preferred_name.value' as preferredName,
  coalesce(nullif(attributes ->> '$.email.value', ''), (attributes ->> '$.id.value') || '@no-email.invalid') as email,
  attributes ->> '$.email.value' as workEmail,
  attributes ->> '$.position.value' as position,
  attributes ->> '$.department.value.attributes.name' as department,
  attributes ->> '$.office.value.attributes.name' as location,
  attributes ->> '$.supervisor.value.attributes.id.value' as managerId,
  substr(attributes ->> '$.hire_date.value', 1, 10) as startDate,
  substr(attributes ->> '$.termination_date.value', 1, 10) as endDate,
  case
    when substr(attributes ->> '$.hire_date.value', 1, 10) > coalesce(today, date('now')) then 'onboarding'
    else attributes ->> '$.status.value'
  end as status,
  attributes ->> '$.employment_type.value' as type,
  _file,
  _line
from employees
