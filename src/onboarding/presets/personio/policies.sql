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
