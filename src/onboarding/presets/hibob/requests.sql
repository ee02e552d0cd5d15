with
  last as (
    select
      *,
      lower(changeType) in ('deleted', 'canceled', 'cancelled') as isTakenBack,
      -- A cancelled or deleted request stays so. Of files with numbers, _10 comes after _9. A decision comes after the request, in whatever
      -- order a response has them.
      row_number() over (
        partition by requestId
        order by
          lower(coalesce(changeType, '')) in ('deleted', 'canceled', 'cancelled') desc,
          createdOn desc,
          length(_file) desc,
          _file desc,
          lower(coalesce(status, changeType)) = 'pending',
          rowid desc
      ) as age,
      -- Changes without a moment have no order.
      count(createdOn) over (partition by requestId) = count(*) over (partition by requestId)
      or count(*) over (partition by requestId) = 1 as isInOrder
    from changes
  ),
  dated as (
    select
      *,
      coalesce(startDate, date) as firstDay,
      coalesce(endDate, date, max(startDate, coalesce(today, date('now')))) as lastDay,
      coalesce(startDate = endDate, false) as isOneDay
    from last
    where age = 1
  )
select
  requestId as legacyId,
  employeeId as workerId,
  policyTypeDisplayName as timeOffPolicyId,
  case startPortion when 'afternoon' then firstDay || 'T12:00' else firstDay end as startAt,
  case
    when endPortion = 'morning' or (isOneDay and startPortion = 'morning') then lastDay || 'T12:00'
    else lastDay
  end as endAt,
  case when isInOrder then substr(coalesce(createdOn, firstDay), 1, 10) end as createdAt,
  case when endDate is not null or date is not null then totalCost end as requestedMinutes,
  durationUnit as unit,
  case
    when isTakenBack then 'declined'
    -- Another one replaced it, and was not declined.
    when
      exists (
        select 1
        from dated later
        where later.previousRequestId = d.requestId and lower(coalesce(later.status, later.changeType)) <> 'declined'
      )
      then 'declined'
    -- Without a status, the change tells it: `Pending`, and `Created` when it is approved.
    when lower(changeType) in ('created', 'updated') then coalesce(status, 'approved')
    when lower(changeType) in ('pending', 'approved', 'declined') then coalesce(status, changeType)
    else changeType
  end as status,
  changeReason as reason,
  _file,
  _line
from dated d
