-- The version of a run: it grows with everything that the monitor view shows of the run's jobs, logs and artifacts, so it is the
-- view's ETag. Reads the run's row and its few stripes, never its jobs. Raises CR001 not_found.
create or replace function corral.fn_get_run_version(p_run_id uuid) returns bigint
language plpgsql stable
set search_path = corral, pg_catalog
as $$
declare
    v_version  bigint := (select s.version from run_states s where s.run_id = p_run_id);
begin
    if v_version is null then
        raise exception 'no run %', p_run_id using errcode = 'CR001', detail = 'run_id';
    end if;
    return v_version;
end $$;
