select
  id as legacyId,
  name,
  name as timeOffTypeName,
  case unpaid when 'true' then 'no' else 'yes' end as paid,
  -- `other` is "Worked Time".
  case time_type when 'other' then 'no' when 'leave' then 'yes' end as isAbsence,
  case request_unit when 'hour' then 'hour' when 'day' then 'day' when 'half_day' then 'day' end as unit,
  case when requires_allocation in ('true', 'yes') then 'yearly' when requires_allocation in ('false', 'no') then 'unlimited' end as schedule,
  case when requires_allocation in ('true', 'yes') then 0 end as minutesPerPeriod,
  _file,
  _line
from leave_types t
where
  exists (select 1 from leaves l where l.holiday_status_id ->> 0 = t.id)
  or exists (select 1 from allocations a where a.holiday_status_id ->> 0 = t.id)
