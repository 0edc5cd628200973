-- Does a need that ended like this keep its dependents from running? A failure that was declared harmless does not, nor does a
-- step that chose not to run (when, draw).
create or replace function corral.fn_is_unmet(p_status text, p_skip_cause text, p_continue_on_failure boolean) returns boolean
language sql immutable parallel safe
as $$
    select p_status = 'cancelled' or (p_status = 'failed' and not p_continue_on_failure)
           or (p_status = 'skipped' and coalesce(p_skip_cause, 'when') not in ('when', 'draw'))
$$;
