select
  uuid as legacyId,
  name,
  policy_type as timeOffTypeName,
  case
    when accrual_method = 'unlimited' then 'unlimited'
    when accrual_method like 'per_hour%' then 'per_hour_worked'
    else 'yearly'
  end as schedule,
  case
    when accrual_method in ('per_calendar_year', 'per_anniversary_year') then accrual_rate * 60
    -- Pay periods are not told, so the balance grants what it has, and no more.
    when accrual_method <> 'unlimited' and accrual_method not like 'per_hour%' then 0
  end as minutesPerPeriod,
  case when accrual_method like 'per_hour%' then accrual_rate * 60 end as minutesPerChunk,
  case when accrual_method like 'per_hour%' then coalesce(accrual_rate_unit, 40) end as hoursWorkedPerChunk,
  case accrual_method when 'per_anniversary_year' then 'anniversary' end as periodAnchor,
  case accrual_method when 'per_calendar_year' then policy_reset_date end as yearStartsOn,
  case when isGranting then accrual_waiting_period_days end as waitingPeriodDays,
  case when isGranting then carryover_limit_hours * 60 end as carryoverLimitMinutes,
  case when isGranting then max_accrual_hours_per_year * 60 end as yearlyAccrualCapMinutes,
  case when isGranting then max_hours * 60 end as balanceCapMinutes,
  paid_out_on_termination as isPaidOut,
  _file,
  _line
from
  (
    select
      *,
      accrual_method like 'per_hour%'
      or accrual_method in ('per_calendar_year', 'per_anniversary_year') as isGranting
    from time_off_policies
  ) p
where
  exists (select 1 from json_each(p.employees))
  or exists (select 1 from time_off_requests r where r.policy_uuid = p.uuid)
