select
  l.name as legacyId,
  l.employee as workerId,
  l.leave_type as policyId,
  l.from_date as date,
  l.leaves as minutes,
  case l.is_expired when '1' then 'Expired' else l.transaction_type end as note,
  l._file as _file,
  l._line as _line
from ledger l join leave_types t on t.name = l.leave_type
where l.transaction_type <> 'Leave Application' and coalesce(t.is_lwp, '0') <> '1'
