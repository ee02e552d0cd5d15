-- After stays.sql.
,
  jobs as (
    select
      n.*,
      row_number() over (
        partition by n.person_id
        order by firstDay <= day desc, case when firstDay <= day then lastDay end desc, firstDay
      ) as rank
    from numbered n join current c on c.person_id = n.person_id and c.number = n.number, today
  )
select
  p.id as legacyId,
  p.first_name as firstName,
  p.last_name as lastName,
  p.preferred_name as preferredName,
  coalesce(nullif(p.email, ''), p.id || '@no-email.invalid') as email,
  p.email as workEmail,
  j.title as position,
  j.managerId,
  (select min(firstDay) from stays where person_id = p.id) as startDate,
  nullif(s.lastDay, '9999-12-31') as endDate,
  case when s.number > 0 then s.firstDay end as latestRehireDate,
  case when s.firstDay > day then 'onboarding' else p.status end as status,
  j.type,
  p._file as _file,
  p._line as _line
from
  persons p
  join today
  left join current c on c.person_id = p.id
  left join stays s on s.person_id = p.id and s.number = c.number
  left join jobs j on j.person_id = p.id and j.rank = 1
