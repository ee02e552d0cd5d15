select distinct
  t."Employee ID" as workerId,
  t."Time Off Type" as policyId,
  w."Hire Date" as assignedAt
from time_off t join workers_report w on w."Employee ID" = t."Employee ID"
