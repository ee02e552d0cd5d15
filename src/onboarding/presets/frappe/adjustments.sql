with
  entries as (
    select l.*
    from ledger l left join leave_types t on t.name = l.leave_type
    where coalesce(t.is_lwp, '0') <> '1'
  ),
  -- What is left of an allocation on its last day, unless an expiry has taken it. Leave takes what ends first.
  left_over as (
    select
      a.name,
      a.employee,
      a.leave_type,
      a.to_date,
      a._file,
      a._line,
      (
        select sum(e.leaves)
        from entries e
        where
          e.employee = a.employee
          and e.leave_type = a.leave_type
          and case
            when e.transaction_type = 'Leave Application' or e.is_expired = '1' then e.from_date <= a.to_date
            else coalesce(e.to_date, '9999-12-31') <= a.to_date
          end
      ) as days
    from entries a
    where
      a.transaction_type = 'Leave Allocation'
      and a.is_expired <> '1'
      and a.leaves > 0
      and a.to_date < date('now', '+1 year')
  ),
  lapsed as (
    select *, max(0, max(days) over ending) as days_in_all
    from left_over
    window ending as (partition by employee, leave_type order by to_date, name)
  ),
  lost as (
    select
      *,
      days_in_all - lag(days_in_all, 1, 0) over (
        partition by employee, leave_type
        order by to_date, name
      ) as days_lost
    from lapsed
  )
select
  name as legacyId,
  employee as workerId,
  leave_type as policyId,
  -- An expiry is dated on the last day, and the allocation can be used on it.
  case when is_expired = '1' then date(from_date, '+1 day') when transaction_type is not null then from_date end as date,
  leaves as minutes,
  case is_expired when '1' then 'Expired' else transaction_type end as note,
  _file,
  _line
from entries
where
  coalesce(transaction_type, '') <> 'Leave Application'
  -- An entry without one of these is refused.
  or employee is null
  or from_date is null
  or coalesce(leaves, '') not glob '*[0-9]*'
  or leaves glob '*[^-+.0-9eE]*'
union all
select
  'end of ' || name,
  employee,
  leave_type,
  date(to_date, '+1 day'),
  -days_lost,
  'Allocation ended',
  _file,
  _line
from lost
where days_lost > 0
