select
  t.id as legacyId,
  t.name as name,
  t.name as timeOffTypeName,
  case when lower(t.category) like 'unpaid%' then 'no' else 'yes' end as paid,
  case when lower(t.category) = 'offsite_work' then 'no' when t.category <> '' then 'yes' end as isAbsence
from types t
where exists (select 1 from periods a where a.absence_type ->> 'id' = t.id)
