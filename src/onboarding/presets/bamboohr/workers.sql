select
  e.id as legacyId,
  e.firstName,
  e.lastName,
  coalesce(e.workEmail, e.homeEmail, e.id || '@no-email.invalid') as email,
  e.workEmail,
  e.jobTitle as position,
  e.department,
  e.preferredName,
  m.id as managerId,
  nullif(e.hireDate, '0000-00-00') as startDate,
  -- An end before the hire is that of an earlier employment; `0000-00-00` is none.
  case when e.terminationDate >= e.hireDate then e.terminationDate end as endDate,
  case
    -- Who begins later is `Inactive` in BambooHR, too.
    when e.hireDate > coalesce(e.today, date('now'))
    and coalesce(nullif(e.terminationDate, '0000-00-00'), '9999-12-31') >= e.hireDate then 'onboarding'
    else e.status
  end as status,
  e._file as _file,
  e._line as _line
from staff e left join staff m on m.id = e.supervisorEId
