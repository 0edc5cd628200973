-- Cancel the next chunk of a cancelled run's waiting jobs, from behind p_after; mark its leased lanes, so that their node hears of it
-- with its next pull or heartbeat. Called until last_device_id is null: by whoever cancelled, and by upkeep until the run has ended,
-- so that a job which came back meanwhile is caught. Locks lanes in key order, then jobs and so on.
create or replace function corral.fn_cancel_jobs(p_run_id uuid, p_after uuid default null, p_limit integer default 1000)
returns table (last_device_id uuid, cancelled integer, node_ids text[])
language plpgsql volatile
set search_path = corral, pg_catalog
as $$
#variable_conflict use_column
declare
    v_limit    integer := coalesce(p_limit, 1000);
    v_devices  uuid[];
    v_jobs     uuid[];
    v_last     uuid;
    v_nodes    text[];
    v_count    integer;
    v_effects  job_effects;
begin
    if not exists (select 1 from runs r where r.run_id = p_run_id and r.cancel_requested_at is not null) then
        return query select null::uuid, 0, '{}'::text[];
        return;
    end if;
    select array_agg(c.device_id), (array_agg(c.device_id order by c.device_id desc))[1], count(*)
      into v_devices, v_last, v_count
      from (select j.device_id from jobs j
             where j.run_id = p_run_id and j.finished_at is null and j.device_id > coalesce(p_after, '00000000-0000-0000-0000-000000000000')
             order by j.device_id limit v_limit) c;
    perform fn_lock_lanes(v_devices);

    select array_agg(j.job_id) into v_jobs
      from jobs j
     where j.run_id = p_run_id and j.finished_at is null
       and (j.device_id = any (v_devices) or j.device_id is null);
    perform fn_lock_jobs(v_jobs);
    with marked as (
        update lanes l
           set cancel_requested = true
         where l.device_id = any (v_devices) and l.job_id = any (v_jobs) and l.lease_token is not null and not l.cancel_requested
        returning l.node_id
    )
    select coalesce(array_agg(distinct m.node_id), '{}') into v_nodes from marked m;
    v_effects := fn_cancel_steps(v_jobs);
    v_jobs := array(select j.job_id from jobs j where j.job_id = any (v_jobs) and j.status = 'queued' and j.mode = 'device');
    return query select case when v_count = v_limit then v_last end,
                        fn_conclude_jobs(v_effects.changes || array(
                            select row(u.job_id, 'cancelled', null, null, null, null, null)::job_change
                              from unnest(v_jobs) as u (job_id)), v_effects.news),
                        v_nodes;
end $$;
