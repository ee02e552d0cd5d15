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
  )
select distinct
  coalesce(attributes ->> '$.time_off_type.attributes.id_v2', attributes ->> '$.time_off_type.attributes.id') as legacyId,
  attributes ->> '$.time_off_type.attributes.name' as name,
  attributes ->> '$.time_off_type.attributes.name' as timeOffTypeName,
  case
    when coalesce(attributes ->> '$.time_off_type.attributes.id_v2', attributes ->> '$.time_off_type.attributes.id') in limited then 'yearly'
    else 'unlimited'
  end as schedule,
  case
    when coalesce(attributes ->> '$.time_off_type.attributes.id_v2', attributes ->> '$.time_off_type.attributes.id') in limited then 0
  end as minutesPerPeriod
from time_offs
