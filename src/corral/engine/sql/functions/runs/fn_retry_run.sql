-- A new run of the same workflow on the devices where the old one did not succeed, with the same params, overrides, policy and
-- seed (rule 7: a user's retry is a new run). p_statuses and p_indexes narrow which of them. Refused while the old run is still going.
-- A distributed run is done again as a whole, with p_steps.
-- Raises CR001 not_found, CR003 conflict.
create or replace function corral.fn_retry_run(
    p_run_id uuid, p_statuses text[], p_actor text, p_indexes integer[] default null, p_steps jsonb default null)
returns corral.runs
language plpgsql volatile
set search_path = corral, pg_catalog
as $$
declare
    v_old  runs;
begin
    select r.* into v_old from runs r where r.run_id = p_run_id;
    if v_old.run_id is null then
        raise exception 'no run %', p_run_id using errcode = 'CR001', detail = 'run_id';
    elsif v_old.finished_at is null then
        raise exception 'run % is still %: cancel it or wait for its end', p_run_id, v_old.status using errcode = 'CR003';
    elsif v_old.mode <> 'device' and coalesce(p_statuses::text, p_indexes::text) is not null then
        raise exception 'only device runs are retried by device' using errcode = 'CR003';
    elsif v_old.mode <> 'device' then
        return fn_create_run(v_old.workflow_id, fn_describe_request(v_old) || jsonb_build_object(
            'target', v_old.target, 'retry_of', p_run_id, 'steps', p_steps), p_actor);
    end if;
    return fn_create_run(v_old.workflow_id, fn_describe_request(v_old) || jsonb_build_object(
        'target', jsonb_strip_nulls(jsonb_build_object(
            'retry_of', p_run_id, 'statuses', p_statuses, 'indexes', p_indexes)), 'retry_of', p_run_id), p_actor);
end $$;
