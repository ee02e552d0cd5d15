with
  -- The report of today counts before the one that has what is still to come, too.
  now as (
    select id
    from employees
    where _file like '%employees_now%'
  ),
  staff as (
    select *
    from employees
    where _file like '%employees_now%' or id not in (select id from now)
  )
