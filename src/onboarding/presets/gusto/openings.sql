with
  pairs as (
    select member.value ->> 'uuid' as worker, p.uuid as policy, member.value ->> 'balance' as balance
    from time_off_policies p, json_each(p.employees) member
    -- Who took leave of it and is no member any more has nothing left.
    union all
    select distinct r.employee ->> 'uuid', r.policy_uuid, '0'
    from time_off_requests r join time_off_policies p on p.uuid = r.policy_uuid
    where
      not exists (
        select 1
        from json_each(p.employees) member
        where member.value ->> 'uuid' = r.employee ->> 'uuid'
      )
  )
select
  e.uuid as workerId,
  p.uuid as policyId,
  p.date,
  pairs.balance as minutes,
  p._file as _file,
  p._line as _line
from
  pairs
  join time_off_policies p on p.uuid = pairs.policy
  join employees e on e.uuid = pairs.worker
where
  p.accrual_method <> 'unlimited'
  and (select min(j.value ->> 'hire_date') from json_each(e.jobs) j) <= p.date
union all
-- A policy whose members are not told is refused.
select null, p.uuid, p.date, null, p._file, p._line
from time_off_policies p
where
  p.accrual_method <> 'unlimited'
  and (
    p.employees is null
    or exists (
      select 1
      from json_each(p.employees) member
      where member.value ->> 'uuid' is null
    )
  )
