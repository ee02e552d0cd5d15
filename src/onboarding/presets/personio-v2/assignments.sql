-- After stays.sql.
select distinct
  a.person ->> 'id' as workerId,
  a.absence_type ->> 'id' as policyId,
  (select min(firstDay) from stays where person_id = c.person_id) as startsOn,
  (
    select group_concat(date(b.lastDay, '+1 day') || '/' || date(s.firstDay, '-1 day'), '; ')
    from stays s join stays b on b.person_id = s.person_id and b.number = s.number - 1
    where s.person_id = c.person_id and s.number <= c.number
  ) as gaps
from periods a left join current c on c.person_id = a.person ->> 'id'
