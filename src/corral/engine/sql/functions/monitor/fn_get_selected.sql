-- One device's part in a run: its steps, the one that it is at, its last log lines and artifacts. A number is tried before a serial,
-- because serials may be numbers, too. The job of a distributed run is always selected: it has no device to choose.
-- Called by fn_get_monitor. Where nothing is selected, the index is 0 and the lists are empty.
create or replace function corral.fn_get_selected(p_run_id uuid, p_device text) returns json
language plpgsql stable
set search_path = corral, pg_catalog
as $$
declare
    v_number  integer := case when p_device ~ '^[1-9][0-9]{0,8}$' then p_device::integer end;
    v_job     uuid;
    v_index   integer;
    v_steps   json;
begin
    select j.job_id, d.index_no into v_job, v_index
      from devices d join jobs j on j.device_id = d.device_id and j.run_id = p_run_id
     where d.index_no = v_number;
    if v_job is null then
        select j.job_id, d.index_no into v_job, v_index
          from devices d join jobs j on j.device_id = d.device_id and j.run_id = p_run_id
         where d.serial = p_device
         order by d.index_no limit 1;
    end if;
    if v_job is null then
        select j.job_id into v_job from jobs j where j.run_id = p_run_id and j.mode = 'distributed';
    end if;

    if v_job is null then
        return json_build_object('index', 0, 'steps', '[]'::json, 'current_step', '{}'::json, 'logs_tail', '[]'::json,
                                 'last_artifacts', '[]'::json);
    end if;
    v_steps := fn_list_steps(v_job);
    return json_build_object(
        'index', coalesce(v_index, 0),
        'steps', v_steps,
        'current_step', coalesce((select s.step from json_array_elements(v_steps) as s (step), jobs j
                                   where j.job_id = v_job and j.status in ('leased', 'running')
                                     and (s.step ->> 'status' = 'running' or s.step ->> 'step' = j.current_step)
                                   order by s.step ->> 'status' <> 'running' limit 1), '{}'),
        'logs_tail', fn_list_last_logs(array[v_job], false),
        'last_artifacts', fn_list_last_artifacts(p_run_id, v_job));
end $$;
