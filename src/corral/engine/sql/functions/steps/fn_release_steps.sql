-- Give running steps back. Replaced with the distributed half.
create or replace function corral.fn_release_steps(p_tokens uuid[], p_ending text) returns corral.job_change[]
language plpgsql volatile
set search_path = corral, pg_catalog
as $$
begin
    return '{}'::job_change[];
end $$;
