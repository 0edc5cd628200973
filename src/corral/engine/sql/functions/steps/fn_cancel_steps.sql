-- Cancel what waits in distributed jobs of cancelled runs: pending and ready steps. Running ones end by their node's word (which
-- fn_list_cancels asks for), their lease or their deadline. An open chain is closed. Streams hear of chains in which something changed:
-- upkeep asks again every second. Called by fn_cancel_jobs, which holds the jobs' locks. Locks steps in key order. Returns
-- the jobs in which nothing is left, and all in which something changed.
create or replace function corral.fn_cancel_steps(p_job_ids uuid[]) returns corral.job_effects
language plpgsql volatile
set search_path = corral, pg_catalog
as $$
declare
    v_now      timestamptz := fn_now();
    v_jobs     uuid[] := array(select j.job_id from jobs j where j.job_id = any (p_job_ids) and j.mode = 'distributed'
                                  and j.finished_at is null);
    v_effects  job_effects := row('{}', '{}');
    v_moved    uuid[];
begin
    if v_jobs = '{}' then
        return v_effects;
    end if;
    perform 1 from job_steps s
      where s.job_id = any (v_jobs) and s.job_attempt = 1 and s.status in ('pending', 'ready')
      order by s.job_id, s.name for no key update;
    with gone as (
        update job_steps s
           set status = 'cancelled', skip_cause = 'cancelled', finished_at = v_now
         where s.job_id = any (v_jobs) and s.job_attempt = 1 and s.status in ('pending', 'ready')
        returning s.job_id
    ), counted as (
        select u.job_id, count(g.job_id)::integer as gone
          from unnest(v_jobs) as u (job_id) left join gone g on g.job_id = u.job_id
         group by u.job_id
    ), closed as (
        update jobs j
           set open_steps = j.open_steps - c.gone, steps_done = j.steps_done + c.gone, is_open = false
          from counted c
         where j.job_id = c.job_id and (c.gone > 0 or j.is_open or j.open_steps = 0)
        returning j.job_id, j.open_steps
    )
    select coalesce(array_agg(row(c.job_id, 'cancelled', null, null, null, null, null)::job_change) filter (where c.open_steps = 0), '{}'),
           array_agg(c.job_id)
      into v_effects.changes, v_moved
      from closed c;
    perform fn_note_tasks(c.chain_id), fn_note_changes('chains', array[c.chain_id::text]) from chains c where c.chain_id = any (v_moved);
    v_effects.news := fn_list_job_news(v_moved);
    return v_effects;
end $$;
