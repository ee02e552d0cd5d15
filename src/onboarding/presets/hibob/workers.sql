select
  p.id as legacyId,
  p.firstName,
  p.surname as lastName,
  p.displayName,
  coalesce(p.email, p.id || '@no-email.invalid') as email,
  p.email as workEmail,
  -- Items of lists are numbers; beside them is what people call them.
  coalesce(p.humanReadable ->> '$.work.title', case when p.work ->> 'title' glob '*[^0-9]*' then p.work ->> 'title' end) as position,
  coalesce(
    p.humanReadable ->> '$.work.department',
    case when p.work ->> 'department' glob '*[^0-9]*' then p.work ->> 'department' end
  ) as department,
  coalesce(p.humanReadable ->> '$.work.site', case when p.work ->> 'site' glob '*[^0-9]*' then p.work ->> 'site' end) as location,
  m.id as managerId,
  p.work ->> 'startDate' as startDate,
  p.internal ->> 'terminationDate' as endDate,
  case
    when p.work ->> 'startDate' > coalesce(p.today, date('now')) then 'onboarding'
    -- Bob also calls people inactive who are on a long leave.
    when lower(p.internal ->> 'lifecycleStatus') not in ('terminated', 'hired') then 'Active'
    else coalesce(p.internal ->> 'status', 'Active')
  end as status,
  p._file as _file,
  p._line as _line
from
  people p
  left join people m on m.id = coalesce(
    p.work ->> '$.reportsTo.id',
    (
      select min(named.id)
      from people named
      where named.displayName = p.work ->> 'reportsTo'
      having count(*) = 1
    )
  )
