-- Balances in days by department and policy, of the tables of `rollcall follow --into`, in SQLite or PostgreSQL. docs/recipes/dashboard.md.
select coalesce(departments.name, '(none)') as department, policies.name as policy, count(*) as people,
  round(cast(sum(available + accrued_locked) / 480 as numeric), 2) as days
from balances
join workers on workers.id = balances.worker_id
join policies on policies.id = balances.policy_id
left join departments on departments.id = workers.department_id
where workers.status = 'active' and not policies.is_unlimited
group by 1, 2
order by 1, 2;
