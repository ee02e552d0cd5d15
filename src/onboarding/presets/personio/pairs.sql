with
  known as (
    select distinct
      b.employee_id,
      coalesce(attributes ->> '$.time_off_type.attributes.id_v2', attributes ->> '$.time_off_type.attributes.id') as type,
      b.date,
      b.balance,
      b._file,
      b._line
    from balances b join time_offs on attributes ->> '$.time_off_type.attributes.id' = b.id
  ),
  limited as (
    select type
    from known
    group by type
    having max(abs(balance)) > 0
  ),
  pairs as (
    select
      cast(attributes ->> '$.employee.attributes.id.value' as text) as employee_id,
      coalesce(attributes ->> '$.time_off_type.attributes.id_v2', attributes ->> '$.time_off_type.attributes.id') as type
    from time_offs
    union
    select
      cast(attributes ->> '$.employee.attributes.id.value' as text),
      attributes ->> '$.absence_type.attributes.id'
    from periods
    union
    select employee_id, type
    from known
  )
