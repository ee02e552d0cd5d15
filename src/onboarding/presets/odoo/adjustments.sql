with
  granted as (
    select
      a.id,
      a.employee_id ->> 0 as worker,
      a.holiday_status_id ->> 0 as type,
      a.date_from,
      nullif(a.date_to, 'false') as date_to,
      -- Odoo counts a type in hours by the hours of the person's calendar.
      case t.request_unit
        when 'hour' then coalesce(nullif(a.number_of_hours_display, 'false') / 8.0, a.number_of_days)
        else a.number_of_days
      end as days,
      a._file as _file,
      a._line as _line
    from allocations a join leave_types t on t.id = a.holiday_status_id ->> 0
    where t.requires_allocation in ('true', 'yes')
  ),
  taken as (
    select
      l.id,
      l.employee_id ->> 0 as worker,
      l.holiday_status_id ->> 0 as type,
      l.request_date_from as day,
      l.number_of_days as days,
      coalesce(l.number_of_days, '') glob '*[0-9]*' and l.number_of_days not glob '*[^-+.0-9eE]*' as isNumber,
      l.number_of_hours as hours,
      t.request_unit as unit,
      l._file as _file,
      l._line as _line
    from leaves l join leave_types t on t.id = l.holiday_status_id ->> 0
    where l.state = 'validate' and t.requires_allocation in ('true', 'yes')
  ),
  -- What was granted by allocations that had ended, and not taken by then. Leave takes what ends first.
  unused as (
    select
      g.id,
      g.worker,
      g.type,
      g.date_to,
      g._file,
      g._line,
      sum(g.days) over ending - coalesce(
        (
          select sum(case t.unit when 'hour' then t.hours / 8.0 else t.days end)
          from taken t
          where t.worker = g.worker and t.type = g.type and t.day <= g.date_to
        ),
        0
      ) as days
    from granted g
    where g.date_to is not null
    window ending as (partition by g.worker, g.type order by g.date_to, cast(g.id as integer))
  ),
  lapsed as (
    select *, max(0, max(days) over ending) as days_in_all
    from unused
    window ending as (partition by worker, type order by date_to, cast(id as integer))
  ),
  lost as (
    select
      *,
      days_in_all - lag(days_in_all, 1, 0) over (
        partition by worker, type
        order by date_to, cast(id as integer)
      ) as days_lost
    from lapsed
  )
select
  'allocation ' || id as legacyId,
  worker as workerId,
  type as policyId,
  date_from as date,
  days as minutes,
  'Allocation' as note,
  _file,
  _line
from granted
union all
select
  'end of allocation ' || id,
  worker,
  type,
  date(date_to, '+1 day'),
  -days_lost,
  'Allocation ended',
  _file,
  _line
from lost
where days_lost > 0 and date_to < date('now', '+1 year')
union all
select
  'leave ' || id,
  worker,
  type,
  day,
  case when isNumber then hours / 8.0 - days else days end,
  'Leave counts days of 8 hours here',
  _file,
  _line
from taken
where unit <> 'hour' and (abs(hours / 8.0 - days) > 0.0001 or not isNumber)
