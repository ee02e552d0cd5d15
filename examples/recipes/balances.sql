-- Everybody's balances in days: a row for each person, a column for each policy. docs/recipes/duckdb.md downloads the files.
pivot (
  select worker.displayName, workerId, policy.name, 
    if(policy.isUnlimited, 0, balance.accruedUnlocked + balance.accruedLocked - balance.used - balance.holds) / 480 as days
  from read_json('balances.jsonl') as balance
  join read_json('workers.jsonl') as worker on worker.id = balance.workerId
  join read_json('policies.jsonl') as policy on policy.id = balance.policyId
) on name using round(sum(days), 2) group by displayName, workerId order by displayName, workerId;
