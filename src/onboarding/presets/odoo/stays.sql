with
  contracts_of as (
    select
      employee,
      contract_date_start as firstDay,
      lag(contract_date_end) over (partition by employee order by contract_date_start) as endBefore
    -- Several versions of an employee have one contract.
    from (select distinct employee_id ->> 0 as employee, contract_date_start, contract_date_end from contracts)
  ),
  rehires as (
    select employee, firstDay, date(endBefore, '+1 day') || '/' || date(firstDay, '-1 day') as gap
    from contracts_of
    where firstDay > date(endBefore, '+1 day')
  ),
  stays as (
    select
      e.id,
      coalesce(
        (select min(firstDay) from contracts_of where employee = e.id),
        nullif(e.contract_date_start, 'false'),
        substr(e.create_date, 1, 10)
      ) as firstDay,
      (
        select max(firstDay)
        from rehires
        where employee = e.id and firstDay <= coalesce(e.today, date('now'))
      ) as rehireDay,
      (select group_concat(gap, '; ') from rehires where employee = e.id) as gaps
    from employees e
  )
