with
  entries as (
    select
      *,
      rowid as number,
      lower(coalesce(Status, '')) as ofStatus,
      lower(coalesce(Status, '')) in ('canceled', 'cancelled', 'rescinded', 'not submitted') as isTakenBack,
      max(lower(coalesce(Status, '')) not in ('denied', 'canceled', 'cancelled', 'rescinded', 'not submitted')) over day as isAskedAgain,
      row_number() over (
        partition by "Employee ID", "Time Off Type", "Time Off Date", Quantity, Unit, Status, "Request Date", Comment
      ) as copy,
      min(_file) over day < max(_file) over day as isInTwoFiles
    from time_off
    window day as (partition by "Employee ID", "Time Off Type", "Time Off Date")
  ),
  -- Approved entries of a type on a day add up, because a correction has an entry of its own, below 0. Copies do not: they are
  -- refused, as two rows of one id. Nor do those of two files: a later report may have what was taken back since.
  days as (
    select
      *,
      min(number),
      case
        when isInTwoFiles then 'entries of two files'
        when count(*) = 1 or ofStatus = 'denied' then Quantity
        else round(sum(Quantity), 4)
      end as sum
    from entries
    where
      not isTakenBack
      and not (ofStatus = 'denied' and isAskedAgain)
      -- A correction that nobody approved takes nothing back.
      and not (ofStatus in ('submitted', 'in progress', 'sent back', 'denied') and coalesce(Quantity, '') glob '-*')
    group by
      "Employee ID",
      "Time Off Type",
      "Time Off Date",
      replace(ofStatus, 'successfully completed', 'approved'),
      Unit,
      case when coalesce(Quantity, '?') glob '*[^0-9.-]*' then number end,
      case when ofStatus <> 'denied' then copy end
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
