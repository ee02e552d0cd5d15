select
  id,
  legacyId,
  createdAt,
  startAt,
  endAt,
  reason,
  requestedMinutes,
  status,
  timeOffPolicyId,
  timeZone,
  workerId,
  startRangeType,
  endRangeType,
  _file,
  _line
from requested
