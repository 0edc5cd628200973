-- Apply events of distributed steps. Replaced with the distributed half.
create or replace function corral.fn_apply_step_leases(p_events corral.judged_event[]) returns corral.job_change[]
language plpgsql volatile
set search_path = corral, pg_catalog
as $$
begin
    return '{}'::job_change[];
end $$;
