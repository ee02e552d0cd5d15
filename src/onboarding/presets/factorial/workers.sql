-- After stays.sql.
,
  stays as (
    select
      employee_id,
      min(firstDay) as firstDay,
      max(case when lastDayBefore < date(firstDay, '-1 day') then firstDay end) as newestFirstDay
    from followed
    group by employee_id
  ),
  people as (
    select
      e.*,
      coalesce(s.firstDay, substr(e.created_at, 1, 10)) as firstDay,
      s.newestFirstDay as rehireDay,
      case when s.newestFirstDay > e.terminated_on then null else e.terminated_on end as lastDay,
      coalesce(e.today, date('now')) as day,
      e._file as _file,
      e._line as _line
    from employees e left join stays s on s.employee_id = e.id
  )
select
  e.id as legacyId,
  e.first_name as firstName,
  e.last_name as lastName,
  e.preferred_name as preferredName,
  coalesce(e.email, e.login_email, e.id || '@no-email.invalid') as email,
  e.login_email as workEmail,
  m.id as managerId,
  (
    select c.job_title
    from contracts c
    where c.employee_id = e.id
    order by coalesce(c.effective_on, c.starts_on) <= e.day desc, coalesce(c.effective_on, c.starts_on) desc
    limit 1
  ) as position,
  e.firstDay as startDate,
  e.lastDay as endDate,
  e.rehireDay as latestRehireDate,
  case
    when e.lastDay < e.day or (e.active = 'false' and e.lastDay is null and coalesce(e.rehireDay, '') <= e.day) then 'inactive'
    when coalesce(e.rehireDay, e.firstDay) > e.day then 'onboarding'
    else 'active'
  end as status,
  e._file as _file,
  e._line as _line
from people e left join employees m on m.id = e.manager_id
