select id as legacyId, name, name as timeOffTypeName
from leave_policies
