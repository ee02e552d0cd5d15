select
  "Employee ID" as legacyId,
  "Legal First Name" as firstName,
  "Legal Last Name" as lastName,
  "Preferred Name" as preferredName,
  coalesce("Email - Work", "Employee ID" || '@no-email.invalid') as email,
  "Email - Work" as workEmail,
  "Business Title" as position,
  "Hire Date" as startDate,
  "Termination Date" as endDate,
  case
    when lower("Worker Status") = 'active' and "Hire Date" > date('now') and "Hire Date" glob '????-*' then 'onboarding'
    else "Worker Status"
  end as status,
  "Worker Type" as type,
  _file,
  _line
from workers_report
