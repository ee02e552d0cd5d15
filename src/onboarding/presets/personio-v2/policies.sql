select t.id as legacyId, t.name as name, t.name as timeOffTypeName
from types t
where exists (select 1 from periods a where a.absence_type ->> 'id' = t.id)
