select
  'allocation ' || a.id as legacyId,
  a.employee_id ->> 0 as workerId,
  a.holiday_status_id ->> 0 as policyId,
  a.date_from as date,
  a.number_of_days as minutes,
  'Allocation' as note,
  a._file as _file,
  a._line as _line
from allocations a join leave_types t on t.id = a.holiday_status_id ->> 0
where t.requires_allocation in ('true', 'yes')
