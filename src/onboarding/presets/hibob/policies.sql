select distinct
  policyTypeDisplayName as legacyId,
  policyTypeDisplayName as name,
  policyTypeDisplayName as timeOffTypeName
from changes
