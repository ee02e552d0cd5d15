select
  uuid as legacyId,
  name,
  policy_type as timeOffTypeName,
  case accrual_method
    when 'unlimited' then 'unlimited'
    when 'per_calendar_year' then 'yearly'
    when 'per_anniversary_year' then 'yearly'
    when 'per_pay_period' then 'unlimited'
    else 'per_hour_worked'
  end as schedule,
  case
    when accrual_method in ('per_calendar_year', 'per_anniversary_year') then accrual_rate * 60
  end as minutesPerPeriod,
  case when accrual_method like 'per_hour%' then accrual_rate * 60 end as minutesPerChunk,
  case
    when accrual_method like 'per_hour%' then coalesce(accrual_rate_unit, 40)
  end as hoursWorkedPerChunk,
  case accrual_method when 'per_anniversary_year' then 'anniversary' end as periodAnchor,
  case
    when accrual_method not in ('unlimited', 'per_pay_period') then accrual_waiting_period_days
  end as waitingPeriodDays,
  case
    when accrual_method not in ('unlimited', 'per_pay_period') then carryover_limit_hours * 60
  end as carryoverLimitMinutes,
  case
    when accrual_method not in ('unlimited', 'per_pay_period') then max_accrual_hours_per_year * 60
  end as yearlyAccrualCapMinutes,
  case
    when accrual_method not in ('unlimited', 'per_pay_period') then max_hours * 60
  end as balanceCapMinutes,
  _file,
  _line
from time_off_policies
where policy_type in ('vacation', 'sick')
