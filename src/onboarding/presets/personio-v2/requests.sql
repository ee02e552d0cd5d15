with
  -- Leave in days ends on its last day, or at the midnight after it: the breakdown, which has each day, tells.
  told as (
    select period_id, max(date) as lastDay
    from breakdowns
    group by period_id
  ),
  ending as (
    select
      p.*,
      p._file as _file,
      p._line as _line,
      case
        when substr(ends_at ->> 'date_time', 12, 5) = '00:00' and lastDay = date(ends_at ->> 'date_time', '-1 day') then lastDay
        else ends_at ->> 'date_time'
      end as lastTime
    from periods p left join told on told.period_id = p.id
  ),
  dated as (
    select
      *,
      starts_from ->> 'date_time' as starts,
      starts_from ->> 'type' as startHalf,
      coalesce(lastTime, max(starts_from ->> 'date_time', coalesce(today, date('now')))) as ends,
      ends_at ->> 'type' as endHalf
    from ending
  ),
  timed as (
    select
      *,
      startHalf is null and endHalf is null and ends_at is not null
      and (substr(starts, 12, 5) > '00:00' or substr(ends, 12, 5) > '00:00') as isHourly
    from dated
  ),
  days as (
    select
      b.period_id,
      b.date as day,
      case
        when b.date is not null and json_type(effective_duration, '$.value') in ('integer', 'real') then round(
          case effective_duration ->> 'unit' when 'HOUR' then 60 when 'DAY' then 480 end * (effective_duration ->> 'value'),
          2
        )
      end as minutes
    from breakdowns b join dated d on d.id = b.period_id
    where b.date is null or b.date between substr(d.starts, 1, 10) and substr(d.ends, 1, 10)
  ),
  amounts as (
    select
      period_id,
      round(sum(minutes), 2) as minutes,
      group_concat(case when minutes > 0 then day || ':' || minutes end, '; ') as dayMinutes
    from days
    group by period_id
    having count(minutes) = count(*)
  )
select
  t.id as legacyId,
  person ->> 'id' as workerId,
  absence_type ->> 'id' as timeOffPolicyId,
  case
    when isHourly then substr(starts, 1, 16)
    when startHalf = 'SECOND_HALF' then substr(starts, 1, 10) || 'T12:00'
    else substr(starts, 1, 10)
  end as startAt,
  case
    when isHourly then substr(ends, 1, 16)
    when endHalf = 'FIRST_HALF' then substr(ends, 1, 10) || 'T12:00'
    else substr(ends, 1, 10)
  end as endAt,
  substr(created_at, 1, 10) as createdAt,
  coalesce(
    a.minutes,
    case when isHourly then round((julianday(ends) - julianday(starts)) * 1440) end,
    case when substr(starts, 1, 10) = substr(ends, 1, 10) and startHalf = endHalf then 240 end
  ) as requestedMinutes,
  a.dayMinutes,
  case when isHourly then timezone_id end as timeZone,
  approval ->> 'status' as status,
  nullif(comment, '') as reason,
  _file,
  _line
from timed t left join amounts a on a.period_id = t.id
where coalesce(approval ->> 'status', '') not in ('CANCELED', 'CANCELLED')
union all
-- A breakdown of no absence is refused.
select null, null, null, date, date, date, null, null, null, null, null, _file, _line
from breakdowns
where period_id is null
