-- Make the next chunk of a run's jobs: lock at most p_limit lanes, give each a job at the tail of its FIFO, remember how far it
-- came. Positions are given out under the lanes' locks: the order of a sequence is not the order of commits.
-- Called until it says done: by whoever created the run, and by upkeep where that one died. Only one of them works at a time.
-- Locks lanes in key order, then the run. Raises CR001 not_found.
create or replace function corral.fn_fan_out_run(p_run_id uuid, p_limit integer default 5000)
returns table (is_done boolean, jobs_made integer, node_ids text[])
language plpgsql volatile
set search_path = corral, pg_catalog
as $$
#variable_conflict use_column
declare
    v_now      timestamptz := fn_now();
    v_limit    integer := least(coalesce(p_limit, 5000), 5000);
    v_run      runs;
    v_gated    boolean;
    v_devices  uuid[];
    v_last     integer;
    v_made     integer := 0;
    v_done     boolean;
begin
    perform pg_advisory_xact_lock(hashtextextended('corral.runs.fan_out' || p_run_id::text, 0));
    select r.* into v_run from runs r where r.run_id = p_run_id;
    if v_run.run_id is null then
        raise exception 'no run %', p_run_id using errcode = 'CR001', detail = 'run_id';
    elsif v_run.fanned_out_at is not null then
        return query select true, 0, '{}'::text[];
        return;
    end if;
    v_gated := exists (select 1 from run_gates g where g.run_id = p_run_id);

    if v_run.cancel_requested_at is not null then
        v_done := true;
    elsif v_run.target ? 'any' then
        v_made := least(v_limit, fn_whole_number(v_run.target -> 'any') - v_run.total_jobs);
        insert into jobs (job_id, run_id, pool_tags, position, priority, is_gated, max_attempts, timeout, queued_at)
        select fn_uuid7(), p_run_id, array(select jsonb_array_elements_text(coalesce(v_run.target -> 'tags', '[]'))),
               nextval('corral.job_position'), v_run.priority, v_gated, v_run.max_attempts, v_run.job_timeout, v_now
          from generate_series(1, v_made);
        v_done := v_run.total_jobs + v_made >= fn_whole_number(v_run.target -> 'any');
    else
        select array_agg(m.device_id order by m.index_no), max(m.index_no), count(*)
          into v_devices, v_last, v_made
          from fn_match_devices(v_run.target, v_run.fan_out_cursor, v_run.fan_out_until, v_limit) m;
        v_done := v_made < v_limit;
        v_made := fn_queue_jobs(v_run, v_gated, v_devices);
    end if;

    update runs r
       set total_jobs = r.total_jobs + v_made,
           fan_out_cursor = coalesce(v_last, r.fan_out_cursor),
           fanned_out_at = case when v_done then v_now end
     where r.run_id = p_run_id;
    if v_done then
        perform fn_advance_runs('{}', array[p_run_id]);
    end if;
    return query select v_done, v_made,
        case when v_run.target ? 'any' then '{}'
             else array(select distinct l.node_id from lanes l where l.device_id = any (v_devices)) end;
end $$;
