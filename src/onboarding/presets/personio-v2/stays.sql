with
  today as (
    select coalesce(max(today), date('now')) as day
    from persons
  ),
  spans as (
    select
      person_id,
      employment_start_date as firstDay,
      min(
        coalesce(employment_end_date, '9999-12-31'),
        coalesce(substr(termination ->> 'termination_date', 1, 10), '9999-12-31')
      ) as lastDay,
      position ->> 'title' as title,
      supervisor ->> 'id' as managerId,
      type
    from employments
  ),
  followed as (
    select
      *,
      max(lastDay) over (
        partition by person_id
        order by firstDay, lastDay
        rows between unbounded preceding and 1 preceding
      ) as lastDayBefore
    from spans
  ),
  -- Employments without a day between them are one stay.
  numbered as (
    select
      *,
      sum(coalesce(firstDay > date(lastDayBefore, '+1 day'), 0)) over (
        partition by person_id
        order by firstDay, lastDay
      ) as number
    from followed
  ),
  stays as (
    select person_id, number, min(firstDay) as firstDay, max(lastDay) as lastDay
    from numbered
    group by person_id, number
  ),
  -- The stay of today, else the last one before, else the first to come.
  current as (
    select person_id, coalesce(max(case when firstDay <= day then number end), 0) as number
    from stays, today
    group by person_id
  )
