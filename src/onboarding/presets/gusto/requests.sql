select
  uuid as legacyId,
  employee ->> 'uuid' as workerId,
  coalesce(
    (
      select p.uuid
      from time_off_policies p, json_each(p.employees) member
      where p.policy_type = r.request_type and member.value ->> 'uuid' = r.employee ->> 'uuid'
    ),
    (
      select p.uuid
      from time_off_policies p
      where p.policy_type = r.request_type
      order by p.uuid
      limit 1
    )
  ) as timeOffPolicyId,
  start_date as startAt,
  end_date as endAt,
  start_date as createdAt,
  (select sum(d.value) from json_each(days) d) as requestedMinutes,
  status,
  employee_note as reason,
  _file,
  _line
from time_off_requests r
