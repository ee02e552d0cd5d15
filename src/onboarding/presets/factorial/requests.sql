with recursive
  counters as (
    select
      cast(t.value as text) as type,
      max(a.allowance_type = 'hours') as isInHours,
      max(coalesce(a.count_holiday_as_workable, 'false')) = 'true' as countsHolidays,
      case
        when count(distinct coalesce(days_type, '') || coalesce(range_type, '') || coalesce(count_holiday_as_workable, 'false')) > 1
          then 'unknown'
        when coalesce(max(days_type), 'working_days') = 'working_days' then 'working'
        -- Other calendar days go on over the free days after the leave.
        when max(days_type) = 'natural_days_only_range' and coalesce(max(range_type), 'exact_range') = 'exact_range'
          then 'calendar'
        when max(days_type) = 'natural_days' and max(range_type) = 'exact_range' then 'calendar'
        else 'unknown'
      end as counted
    from allowances a, json_each(a.leave_type_ids) t
    group by t.value
  ),
  spans as (
    select
      l.*,
      coalesce(finish_on, max(start_on, coalesce(today, date('now')))) as lastDay,
      coalesce(isInHours, 0) as isInHours,
      coalesce(countsHolidays, 0) as countsHolidays,
      -- Without the right to read allowances, nothing tells.
      coalesce(counted, case when exists (select 1 from allowances) then 'working' else 'unknown' end) as counted,
      coalesce(isInHours, 0) and exists (
        select 1
        from
          (
            select value
            from json_each(l.duration_by_day_attributes, '$.used_units_by_day.hours')
            union all
            select value
            from json_each(l.duration_attributes, '$.used_units.hours')
          )
        where coalesce(value, '') not glob '[0-9]*' or value glob '*[^0-9.]*'
      ) as hasUnreadHours
    from leaves l left join counters c on c.type = l.leave_type_id
    where l.deleted_at is null
  ),
  -- What each day takes, as the API tells it, if the days add up to what the whole takes.
  told as (
    select
      id,
      round(sum(minutes), 2) as minutes,
      group_concat(case when minutes > 0 then day || ':' || minutes end, ';') as dayMinutes
    from (
      select
        s.id,
        d.key as day,
        d.value as days,
        days_taken,
        round(case when isInHours then h.value * 60 else d.value * 480 end, 2) as minutes
      from
        spans s
        join json_each(s.duration_by_day_attributes, '$.used_units_by_day.days') d
        left join json_each(s.duration_by_day_attributes, '$.used_units_by_day.hours') h on h.key = d.key
      where hours_amount_in_cents is null and not hasUnreadHours and d.key between start_on and lastDay
    )
    group by id
    having abs(sum(days) - max(days_taken)) < 0.005 and count(minutes) = count(*)
  ),
  -- What the whole takes, as the API tells it by year.
  told_in_all as (
    select
      s.id,
      round(sum(case when isInHours then h.value * 60 else d.value * 480 end), 2) as minutes
    from
      spans s
      join json_each(s.duration_attributes, '$.used_units.days') d
      left join json_each(s.duration_attributes, '$.used_units.hours') h on h.key = d.key
    where
      hours_amount_in_cents is null
      and not hasUnreadHours
      and finish_on is not null
      and s.id not in (select id from told)
    group by s.id
    having count(case when isInHours then h.value else d.value end) = count(*)
  ),
  days as (
    select
      id,
      employee_id,
      half_day,
      isInHours,
      countsHolidays,
      counted,
      start_on as day,
      lastDay,
      start_on = lastDay as isOneDay
    from spans
    where
      hours_amount_in_cents is null
      and not hasUnreadHours
      and id not in (select id from told)
      and lastDay < date(start_on, '+10 years')
    union all
    select id, employee_id, half_day, isInHours, countsHolidays, counted, date(day, '+1 day'), lastDay, isOneDay
    from days
    where day < lastDay
  ),
  -- A version of a contract counts until the next one. Hours are hundredths.
  versions as (
    select
      employee_id,
      case when working_week_days like '%day%' then lower(working_week_days) end as week,
      bank_holiday_treatment = 'workable' as isWorkedOnHolidays,
      case working_hours_frequency
        when 'day' then working_hours * 0.6
        when 'week' then working_hours * 0.6 / (1 + length(working_week_days) - length(replace(working_week_days, ',', '')))
      end as dayMinutes,
      coalesce(effective_on, starts_on) as since,
      lead(coalesce(effective_on, starts_on), 1, '9999') over (
        partition by employee_id
        order by coalesce(effective_on, starts_on)
      ) as until
    from contracts
  ),
  closed as (
    select e.id as employee_id, h.date as day, min(case when h.half_day is null then 0 else 0.5 end) as share
    from holidays h join employees e on e.location_id = h.location_id
    group by e.id, h.date
  ),
  -- What is worked of a day; null if unknown.
  worked as (
    select
      d.id,
      d.day,
      d.half_day,
      d.isOneDay,
      case
        when counted = 'unknown' or (counted = 'calendar' and isInHours) then null
        when counted = 'working'
        and instr(v.week, substr('sun mon tue wed thu fri sat', 1 + 4 * strftime('%w', d.day), 3)) = 0 then 0
        when (counted = 'working' and v.week is null) or e.location_id is null then null
        when v.isWorkedOnHolidays or countsHolidays then 1
        else coalesce(c.share, 1)
      end as share,
      case when not isInHours then 480 when v.dayMinutes between 60 and 1440 then v.dayMinutes end as dayMinutes
    from days d
    left join employees e on e.id = d.employee_id
    left join versions v on v.employee_id = d.employee_id and d.day >= v.since and d.day < v.until
    left join closed c on c.employee_id = d.employee_id and c.day = d.day
  ),
  counted as (
    select
      id,
      day,
      case
        when share = 0 then 0
        when half_day is null then round(share * dayMinutes, 2)
        when isOneDay and share = 1 and half_day like '%_of_day' then round(dayMinutes / 2.0, 2)
      end as minutes
    from worked
  ),
  amounts as (
    select
      id,
      sum(minutes) as minutes,
      group_concat(case when minutes > 0 then day || ':' || minutes end, ';') as dayMinutes
    from counted
    group by id
    having count(*) = count(minutes)
    union all
    select id, minutes, dayMinutes
    from told
  )
select
  l.id as legacyId,
  employee_id as workerId,
  leave_type_id as timeOffPolicyId,
  case half_day when 'end_of_day' then start_on || 'T12:00' else start_on end as startAt,
  case when half_day like 'begg%' or half_day like 'begin%' then lastDay || 'T12:00' else lastDay end as endAt,
  substr(coalesce(created_at, start_on), 1, 10) as createdAt,
  coalesce(
    case when hours_amount_in_cents glob '*[^0-9.]*' then hours_amount_in_cents else hours_amount_in_cents * 0.6 end,
    t.minutes,
    a.minutes
  ) as requestedMinutes,
  case when coalesce(t.minutes = a.minutes, true) then a.dayMinutes end as dayMinutes,
  coalesce(approved, 'pending') as status,
  description as reason,
  _file,
  _line
from
  spans l
  left join amounts a on a.id = l.id
  left join told_in_all t on t.id = l.id
