select
  id as legacyId,
  firstName,
  surname as lastName,
  displayName,
  email,
  email as workEmail,
  work ->> 'title' as position,
  work ->> 'department' as department,
  work ->> 'site' as location,
  work ->> '$.reportsTo.id' as managerId,
  work ->> 'startDate' as startDate,
  internal ->> 'terminationDate' as endDate,
  coalesce(internal ->> 'status', 'Active') as status,
  _file,
  _line
from people
