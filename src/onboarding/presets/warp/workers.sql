select
  w.id as id,
  w.legacyId as legacyId,
  firstName,
  lastName,
  preferredName,
  displayName,
  position,
  email,
  workEmail,
  startDate,
  endDate,
  latestRehireDate,
  terminationReason,
  status,
  type,
  isBusiness,
  businessName,
  timeZone,
  coalesce(w.manager ->> 'id', w.managerId) as managerId,
  (select d.id from departments d where d.id = w.department ->> 'id') as departmentId,
  (select p.id from workplaces p where p.id = w.primaryWorkplace ->> 'id') as workplaceId,
  case
    when not exists (
      select 1
      from departments d
      where d.id = w.department ->> 'id'
    ) then w.department ->> 'name'
  end as department,
  case
    when not exists (
      select 1
      from workplaces p
      where p.id = w.primaryWorkplace ->> 'id'
    ) then w.primaryWorkplace ->> 'name'
  end as workplace,
  case
    when not exists (
      select 1
      from workplaces p
      where p.id = w.primaryWorkplace ->> 'id'
    ) then w.primaryWorkplace ->> 'type'
  end as workplaceType,
  _file,
  _line
from workers w
