select
  name as legacyId,
  name,
  name as timeOffTypeName,
  case is_lwp when '1' then 'no' else 'yes' end as paid,
  case is_lwp when '1' then 'unlimited' else 'yearly' end as schedule,
  case is_lwp when '1' then null else 0 end as minutesPerPeriod,
  _file,
  _line
from leave_types t
where
  exists (select 1 from applications a where a.leave_type = t.name)
  or exists (select 1 from ledger l where l.leave_type = t.name)
