select distinct
  "Time Off Type" as legacyId,
  "Time Off Type" as name,
  "Time Off Type" as timeOffTypeName
from time_off
