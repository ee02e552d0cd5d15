with
  entries as (
    select
      *,
      rowid as number,
      lower(Status) in ('approved', 'successfully completed') as isApproved,
      max(lower(coalesce(Status, '')) <> 'denied') over (
        partition by "Employee ID", "Time Off Type", "Time Off Date"
      ) as isAskedAgain
    from time_off
    where coalesce(Status, '') not in ('Canceled', 'Cancelled', 'Rescinded', 'Not Submitted')
  ),
  -- Approved entries of a type on a day add up, because a correction has an entry of its own, below 0.
  days as (
    select
      *,
      min(number),
      case
        when count(*) = 1 or lower(Status) = 'denied' then Quantity
        when min(Quantity not glob '*[^0-9.-]*') and count(distinct Unit) = 1 then round(sum(Quantity), 4)
      end as sum
    from entries
    where
      not (lower(Status) = 'denied' and isAskedAgain)
      -- A correction that nobody approved takes nothing back.
      and not (lower(Status) in ('submitted', 'in progress', 'sent back', 'denied') and coalesce(Quantity, '') glob '-*')
    group by
      "Employee ID",
      "Time Off Type",
      "Time Off Date",
      case when isApproved then 'approved' else lower(Status) end
  )
select
  "Employee ID" || '|' || "Time Off Type" || '|' || "Time Off Date" as legacyId,
  "Employee ID" as workerId,
  "Time Off Type" as timeOffPolicyId,
  "Time Off Date" as startAt,
  "Time Off Date" as endAt,
  coalesce("Request Date", "Time Off Date") as createdAt,
  sum as requestedMinutes,
  Unit as unit,
  Status as status,
  Comment as reason,
  _file,
  _line
from days
where coalesce(sum, '') <> 0
