with
  types as (
    select
      a.id,
      max(a.name) as name,
      max(a.allowance_type) as allowance_type,
      t.value as type,
      min(
        json_array_length(a.leave_type_ids) = 1
        and coalesce(a.unlimited_holidays, 'false') <> 'true'
      ) as isLimited
    from allowances a, json_each(a.leave_type_ids) t
    group by a.id, t.value
  ),
  known as (
    select
      s.employee_id,
      cast(t.type as text) as type,
      t.name,
      t.allowance_type as unit,
      substr(s.id, -10) as date,
      -- Null if one of them is missing or no number.
      case
        when s.available_days || s.used_days || s.used_units_until_reference_date not glob '*[^-+.0-9eE]*'
          then s.available_days + s.used_days - s.used_units_until_reference_date
      end as amount,
      s._file,
      s._line
    from stats s join types t on t.id = s.allowance_id
    where t.type in (select type from types group by type having min(isLimited))
  ),
  pairs as (
    select employee_id, leave_type_id as type
    from leaves
    union
    select employee_id, type
    from known
  )
