-- Cancel steps of distributed jobs. Replaced with the distributed half.
create or replace function corral.fn_cancel_steps(p_job_ids uuid[]) returns corral.job_change[]
language plpgsql volatile
set search_path = corral, pg_catalog
as $$
begin
    return '{}'::job_change[];
end $$;
