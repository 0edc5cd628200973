-- Hold a phone: any that has p_tags, or the one that p_device names (its number, its serial or its id). Makes the run that holds it, with
-- its one job, in this transaction: there is no session without one. That run's recipe is p_recipe, kept as the workflow p_workflow, and
-- it lasts p_timeout at most. Returns the session, and the nodes that should hear of it (none: all of them).
-- Locks what fn_fan_out_run locks. Raises CR001 not_found (device), CR002 invalid_request (tags that no device has),
-- CR003 conflict (there is no device at all).
create or replace function corral.fn_open_device_session(
    p_holder text, p_purpose text, p_tags text[], p_device text, p_ttl interval, p_workflow text, p_recipe jsonb,
    p_timeout interval)
returns table (session_id uuid, node_ids text[])
language plpgsql volatile
set search_path = corral, pg_catalog
as $$
#variable_conflict use_column
declare
    v_now       timestamptz := fn_now();
    v_session   uuid := fn_uuid7();
    v_tags      text[] := coalesce(p_tags, '{}');
    v_device    uuid;
    v_workflow  uuid;
    v_run       uuid;
    v_target    jsonb := jsonb_build_object('any', 1);
    v_nodes     text[];
begin
    if p_device is not null then
        select d.device_id into v_device
          from devices d
         where d.device_id = fn_try_uuid(p_device) or d.serial = p_device or d.index_no::text = p_device
         order by d.device_id = fn_try_uuid(p_device) desc nulls last, d.index_no::text = p_device desc limit 1;
        if v_device is null then
            raise exception 'no device has the number, serial or id %', p_device using errcode = 'CR001', detail = 'device';
        end if;
        v_target := jsonb_build_object('device_ids', jsonb_build_array(v_device));
    elsif not exists (select 1 from devices) then
        raise exception 'the farm has no device yet' using errcode = 'CR003';
    elsif v_tags <> '{}' then
        if not exists (select 1 from devices d where d.tags @> v_tags) then
            raise exception 'no device has all of the tags %', array_to_string(v_tags, ', ') using errcode = 'CR002', detail = 'tags';
        end if;
        v_target := v_target || jsonb_build_object('tags', v_tags);
    end if;

    select w.workflow_id into v_workflow from workflows w
     where w.name = p_workflow and w.recipe = p_recipe order by w.version desc limit 1;
    if v_workflow is null then
        v_workflow := (fn_create_workflow(p_workflow, 'device', p_recipe, 'corral')).workflow_id;
    end if;
    v_run := (fn_create_run(v_workflow, jsonb_build_object(
        'timeout_s', extract(epoch from p_timeout), 'target', v_target, 'repeatable', false, 'source_type', 'session', 'source_id', v_session,
        'name', coalesce(p_purpose, 'session of ' || p_holder)), p_holder)).run_id;
    insert into device_sessions (session_id, run_id, holder, purpose, tags, ttl, renewed_at, created_at)
    values (v_session, v_run, p_holder, p_purpose, v_tags, p_ttl, v_now, v_now);
    perform fn_record_audit(p_holder, 'session.open', v_session::text, jsonb_strip_nulls(jsonb_build_object(
        'run_id', v_run, 'purpose', p_purpose, 'device', p_device, 'tags', nullif(v_tags, '{}'))));
    select f.node_ids into v_nodes from fn_fan_out_run(v_run) f;
    return query select v_session, v_nodes;
end $$;
