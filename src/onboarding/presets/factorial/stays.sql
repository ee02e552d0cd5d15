-- After pairs.sql.
,
  -- A contract without an end goes on, or until its person left.
  spans as (
    select
      c.employee_id,
      coalesce(c.starts_on, c.effective_on) as firstDay,
      coalesce(c.ends_on, case when e.terminated_on >= coalesce(c.starts_on, c.effective_on) then e.terminated_on end, '9999-12-31') as lastDay
    from contracts c join employees e on e.id = c.employee_id
  ),
  followed as (
    select
      *,
      max(lastDay) over (
        partition by employee_id
        order by firstDay
        rows between unbounded preceding and 1 preceding
      ) as lastDayBefore
    from spans
  )
