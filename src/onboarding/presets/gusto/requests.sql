select
  uuid as legacyId,
  employee ->> 'uuid' as workerId,
  coalesce(policy_uuid, 'no policy: ' || policy_type) as timeOffPolicyId,
  (select min(d.key) from json_each(days) d) as startAt,
  (select max(d.key) from json_each(days) d) as endAt,
  (select min(d.key) from json_each(days) d) as createdAt,
  -- Null if a day has no number.
  (
    select case when count(*) = sum(d.value glob '*[0-9]*' and d.value not glob '*[^.0-9]*') then round(sum(round(d.value * 60, 2)), 2) end
    from json_each(days) d
  ) as requestedMinutes,
  (
    select group_concat(d.key || ':' || round(d.value * 60, 2), '; ')
    from json_each(days) d
    where d.value * 60 > 0
  ) as dayMinutes,
  status,
  employee_note as reason,
  _file,
  _line
from time_off_requests
where coalesce(status, '') not in ('deleted', 'canceled', 'cancelled')
