-- Why each job of a run that has not started waits: the rule that holds it back, since when, how many jobs are ahead of it on its
-- device and of which run the first of them is, and when it may be expected to start (null where nothing sensible can be said).
-- A phone that somebody holds may be expected when the session expires. The root cause wins: a job behind others on an offline device waits for the device. By device number, from behind p_after.
-- Reasons: cancelling, verdicts_suspended, node_silent, device_quarantined, device_offline, device_contested, node_draining,
-- behind_others, gate_full, slots_full, handed_out, ready, and those of fn_explain_unbound, whose rows come last; of a distributed
-- run, those of fn_explain_steps, a row for each step that could be claimed, and each task of a chain that waits.
-- Locks nothing. Raises CR001 not_found.
create or replace function corral.fn_explain_run(p_run_id uuid, p_after integer default 0, p_limit integer default 1000)
returns table (job_id uuid, device_id uuid, index_no integer, serial text, node_id text, status text, reason text, message text,
               since timestamptz, ahead integer, ahead_run_id uuid, expected_start_at timestamptz, step text)
language plpgsql stable rows 1000
set search_path = corral, pg_catalog
as $$
#variable_conflict use_column
declare
    v_now      timestamptz := fn_now();
    v_run      runs;
    v_gate     run_gates;
    v_typical  interval := fn_typical_duration(p_run_id);
    v_upkeep   upkeep := (select u from upkeep u);
    v_judging  boolean := fn_verdicts_are_open();
begin
    select r.* into v_run from runs r where r.run_id = p_run_id;
    if v_run.run_id is null then
        raise exception 'no run %', p_run_id using errcode = 'CR001', detail = 'run_id';
    end if;
    select g.* into v_gate from run_gates g where g.run_id = p_run_id;

    return query
    with loads as materialized (
        select o.* from node_loads o
         where o.node_id in (select l.node_id from jobs j join lanes l on l.device_id = j.device_id
                              where j.run_id = p_run_id and j.status in ('queued', 'leased'))
    ), turns as materialized (
        select l.device_id, row_number() over (partition by l.node_id order by l.head_priority desc, l.ticket) as node_turn,
               row_number() over (partition by l.gate_run_id order by l.head_priority desc, l.ticket) as gate_turn
          from lanes l where l.node_id in (select o.node_id from loads o) and l.ticket is not null and l.is_available
    ), waiting as materialized (
        select j.job_id, j.status, j.device_id, j.queued_at, j.leased_at, j.is_gated, d.index_no, d.serial, d.connection, d.health,
               d.health_reason, d.contested_node_id, d.unavailable_since, d.changed_at, o.*, l.granted_at, t.node_turn, t.gate_turn,
               case when l.job_id <> j.job_id then h.run_id end as ahead_run_id,
               case when j.status = 'leased' or l.job_id = j.job_id then 0 else (l.lease_token is not null)::integer
                    + (select count(*)::integer
                         from (select 1 from jobs q
                                where q.device_id = j.device_id and q.is_waiting
                                  and (q.priority > j.priority or (q.priority = j.priority and q.position < j.position)) limit 1000) q)
               end as ahead,
               case when h.status = 'running' then h.started_at end as ahead_started_at, s.holder, s.expires_at
          from jobs j
          join devices d on d.device_id = j.device_id
          join lanes l on l.device_id = j.device_id
          join loads o on o.node_id = l.node_id
          left join jobs h on h.job_id = l.job_id
          left join device_session_states s on s.run_id = h.run_id and s.state = 'active' and h.job_id <> j.job_id
          left join turns t on t.device_id = j.device_id
         where j.run_id = p_run_id and j.status in ('queued', 'leased') and d.index_no > coalesce(p_after, 0)
         order by d.index_no
         limit coalesce(p_limit, 1000)
    ), judged as (
        select w.*, case
               when w.status = 'leased' then 'handed_out'
               when v_run.cancel_requested_at is not null then 'cancelling'
               when w.is_silent then 'node_silent'
               when w.health = 'quarantined' then 'device_quarantined'
               when w.connection <> 'connected' then 'device_offline'
               when w.contested_node_id is not null then 'device_contested'
               when w.draining then 'node_draining'
               when w.ahead > 0 then 'behind_others'
               when w.is_gated and v_gate.in_flight >= v_gate.cap then 'gate_full'
               when w.held >= case when w.is_gated then w.max_concurrency else w.slots end then 'slots_full'
               else 'ready' end as rule
          from waiting w
    ), explained as (
        select w.*, w.rule in ('node_silent', 'device_quarantined', 'device_offline') and not v_judging as is_suspended from judged w
    )
    select w.job_id, w.device_id, w.index_no, w.serial, w.node_id, w.status,
           case when w.is_suspended then 'verdicts_suspended' else w.rule end,
           case w.rule
               when 'handed_out' then format('node %s has it and starts it when a slot is free', w.node_id)
               when 'cancelling' then 'the run is being cancelled'
               when 'node_silent' then format('node %s is silent', w.node_id)
               when 'device_quarantined' then format('device is quarantined: %s', coalesce(w.health_reason, 'no reason given'))
               when 'device_offline' then format('device is %s', replace(w.connection, '_', ' '))
               when 'device_contested' then format('device is contested by node %s', w.contested_node_id)
               when 'node_draining' then format('node %s is draining', w.node_id)
               when 'behind_others' then format('behind %s on its device', case w.ahead when 1 then '1 job' else w.ahead || ' jobs' end)
                                        || coalesce(', which ' || w.holder || ' holds in a session', '')
               when 'gate_full' then format('the run has %s of %s allowed jobs in flight', v_gate.in_flight, v_gate.cap)
               when 'slots_full' then format('node %s holds %s of %s jobs', w.node_id, w.held,
                                             case when w.is_gated then w.max_concurrency else w.slots end)
               else format('next when node %s asks for work', w.node_id) end
           || case when w.is_suspended then '; nothing is skipped or expired until most nodes are heard again' else '' end,
           case when w.is_suspended then coalesce(v_upkeep.silence_since, v_upkeep.verdicts_from, w.lease_until) else
           case w.rule when 'handed_out' then w.leased_at when 'cancelling' then v_run.cancel_requested_at
               when 'node_silent' then w.lease_until when 'device_quarantined' then w.unavailable_since when 'device_offline' then w.unavailable_since
               when 'device_contested' then w.changed_at when 'node_draining' then w.draining_since else w.queued_at end end,
           w.ahead, w.ahead_run_id,
           case w.rule when 'ready' then v_now
               when 'behind_others' then case
                   when w.expires_at is not null and w.ahead = 1 then w.expires_at
                   when w.expires_at is not null then w.expires_at + (w.ahead - 1) * v_typical
                   else greatest(v_now, coalesce(w.ahead_started_at, v_now) + v_typical) + (w.ahead - 1) * v_typical end
               when 'gate_full' then v_now + v_typical * (w.gate_turn::double precision / v_gate.cap)
               when 'slots_full' then v_now + v_typical * (w.node_turn::double precision / greatest(w.max_concurrency, 1)) end,
           null::text
      from explained w
    union all
    select p.* from fn_explain_unbound(v_run, v_gate) p where coalesce(p_after, 0) = 0
    union all
    select s.* from fn_explain_steps(v_run, v_gate) s where coalesce(p_after, 0) = 0 and v_run.mode = 'distributed';
end $$;
