-- The same run once more: same workflow version, params, overrides, policy and seed, on the very devices that the old one had, so that
-- every draw repeats. A distributed run is given its steps anew, by p_steps. Refused while the old run is still going: a pool has not chosen all its devices yet.
-- Raises CR001 not_found, CR003 conflict.
create or replace function corral.fn_replay_run(p_run_id uuid, p_actor text, p_steps jsonb default null) returns corral.runs
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
    end if;
    return fn_create_run(v_old.workflow_id, fn_describe_request(v_old) || jsonb_build_object(
        'target', case v_old.mode when 'device' then jsonb_build_object('replay_of', p_run_id) else v_old.target end,
        'replay_of', p_run_id, 'steps', p_steps), p_actor);
end $$;
