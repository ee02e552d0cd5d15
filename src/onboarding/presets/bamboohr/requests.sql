select
  r.id as legacyId,
  r.employeeId as workerId,
  p.policy as timeOffPolicyId,
  r.start as startAt,
  r."end" as endAt,
  r.created as createdAt,
  r.amount ->> 'amount' as requestedMinutes,
  r.amount ->> 'unit' as unit,
  r.status ->> 'status' as status,
  r.notes ->> 'employee' as reason,
  r._file as _file,
  r._line as _line
from
  requests r
  left join pairs p on p.employeeId = r.employeeId and p.type = cast(r.type ->> 'id' as text)
where
  coalesce(r.status ->> 'status', '') not in ('canceled', 'cancelled', 'superseded', 'superceded')
  -- Leave over the end of a quarter comes with both.
  and not exists (
    select 1
    from requests later
    where later.id = r.id and later.rowid > r.rowid
  )
