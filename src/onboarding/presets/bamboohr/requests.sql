-- After pairs.sql.
,
  days as (
    select
      r.rowid as request,
      d.key as day,
      round(d.value * case r.amount ->> 'unit' when 'days' then 480 else 60 end, 2) as minutes
    from requests r, json_each(r.dates) d
    where d.value + 0 > 0
  ),
  written as (
    select
      request,
      group_concat(day || ':' || minutes, '; ') as dayMinutes,
      min(day) as firstDay,
      max(day) as lastDay,
      max(minutes) as most,
      sum(minutes) as minutes
    from days
    group by request
  )
select
  r.id as legacyId,
  r.employeeId as workerId,
  p.policy as timeOffPolicyId,
  r.start as startAt,
  r."end" as endAt,
  r.created as createdAt,
  r.amount ->> 'amount' as requestedMinutes,
  r.amount ->> 'unit' as unit,
  -- Unless they are the whole amount on the first day, as an example of the documents has it.
  case
    when w.firstDay >= r.start
    and w.lastDay <= r."end"
    and w.most <= 720
    and abs(w.minutes - (r.amount ->> 'amount') * case r.amount ->> 'unit' when 'days' then 480 else 60 end) < 0.005
      then w.dayMinutes
  end as dayMinutes,
  r.status ->> 'status' as status,
  r.notes ->> 'employee' as reason,
  r._file as _file,
  r._line as _line
from
  requests r
  left join written w on w.request = r.rowid
  left join pairs p on p.employeeId = r.employeeId and p.type = cast(r.type ->> 'id' as text)
where
  (
    coalesce(r.status ->> 'status', '') not in ('canceled', 'cancelled', 'superseded', 'superceded')
    -- Cancelled in one file, and not in another: that was saved on two days, too.
    or r.id in (
      select id
      from requests
      where coalesce(status ->> 'status', '') not in ('canceled', 'cancelled', 'superseded', 'superceded')
    )
  )
  -- Leave over the end of a quarter comes with both. Another that comes twice was saved on two days, and is refused.
  and (
    r.start = r."end"
    or r.rowid in (
      select max(rowid)
      from requests
      group by id, start, "end", dates, status
    )
  )
