select distinct
  a.person ->> 'id' as workerId,
  a.absence_type ->> 'id' as policyId,
  (
    select min(e.employment_start_date)
    from employments e
    where e.person_id = a.person ->> 'id'
  ) as assignedAt
from periods a
