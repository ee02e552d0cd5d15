-- A balance tells its worker by `legacyWorkerId`: the id in the system before, or the worker's own. Rollcall tells `workerId`, too.
select
  coalesce(
    b.workerId,
    (select w.id from workers w where w.legacyId = b.legacyWorkerId),
    (select w.id from workers w where w.id = b.legacyWorkerId),
    (select a.workerId from assigned a where a.id = b.id and a.policyId = b.policyId),
    b.legacyWorkerId
  ) as workerId,
  b.policyId,
  b.date,
  b.accruedUnlocked - b.used as minutes,
  b._file as _file,
  b._line as _line
from balances b left join policies p on p.id = b.policyId
where
  (p.schedule <> 'unlimited' or b.policyId is null)
  and not exists (
    select 1
    from assigned later
    where
      later.policyId = b.policyId
      and coalesce(later.workerId, later.legacyWorkerId) in (b.workerId, b.legacyWorkerId)
      and substr(later.assignedAt, 1, 10) > b.date
  )
