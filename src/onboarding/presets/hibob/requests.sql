select
  requestId as legacyId,
  employeeId as workerId,
  policyTypeDisplayName as timeOffPolicyId,
  startDate as startAt,
  endDate as endAt,
  substr(coalesce(createdOn, startDate), 1, 10) as createdAt,
  totalDuration as requestedMinutes,
  durationUnit as unit,
  case changeType when 'Deleted' then 'deleted' else coalesce(status, 'approved') end as status,
  changeReason as reason,
  _file,
  _line
from changes c
where
  not exists (
    select 1
    from changes later
    where later.requestId = c.requestId and later.rowid > c.rowid
  )
