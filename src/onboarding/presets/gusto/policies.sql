select
  uuid as legacyId,
  name,
  policy_type as timeOffTypeName,
  case
    when method = 'unlimited' then 'unlimited'
    when method like 'per_hour%' then 'per_hour_worked'
    else 'yearly'
  end as schedule,
  case
    when method in ('per_calendar_year', 'per_anniversary_year') then accrual_rate
    -- Pay periods are not told, so the balance grants what it has, and no more.
    when method in ('per_pay_period', 'inactive') then 0
  end as minutesPerPeriod,
  case when method like 'per_hour%' then accrual_rate end as minutesPerChunk,
  case when method like 'per_hour%' then coalesce(accrual_rate_unit, 40) end as hoursWorkedPerChunk,
  case method when 'per_anniversary_year' then 'anniversary' end as periodAnchor,
  case method when 'per_calendar_year' then policy_reset_date end as yearStartsOn,
  case when isGranting then accrual_waiting_period_days end as waitingPeriodDays,
  case when isGranting then carryover_limit_hours end as carryoverLimitMinutes,
  case when isGranting then max_accrual_hours_per_year end as yearlyAccrualCapMinutes,
  case when isGranting then max_hours end as balanceCapMinutes,
  paid_out_on_termination as isPaidOut,
  _file,
  _line
from
  (
    select
      *,
      method like 'per_hour%'
      or method in ('per_calendar_year', 'per_anniversary_year') as isGranting
    from
      (
        select
          *,
          -- A deactivated policy grants nothing more: its balances are what is left.
          case when is_active = 'false' and accrual_method <> 'unlimited' then 'inactive' else accrual_method end as method
        from time_off_policies
      )
  ) p
where
  exists (select 1 from json_each(p.employees))
  or exists (select 1 from time_off_requests r where r.policy_uuid = p.uuid)
union all
-- Leave of no policy takes from no balance.
select 'no policy: ' || policy_type, policy_type, policy_type, 'unlimited', null, null, null, null, null, null, null, null, null, null, min(_file), min(_line)
from time_off_requests
where policy_uuid is null
group by policy_type
