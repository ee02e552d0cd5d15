select
  a.id,
  a.assignedAt,
  a.policyId,
  -- Before 2026 the interface told a worker by the id in its old system.
  coalesce(a.workerId, (select w.id from workers w where w.legacyId = a.legacyWorkerId), a.legacyWorkerId) as workerId,
  a.startsOn,
  a.endsOn,
  a._file as _file,
  a._line as _line
from assigned a
