-- Agents whose tasks are to be taken back: they hold some, and have been silent for a whole lease time.
-- Called by upkeep; none while verdicts may not be passed.
create or replace function corral.fn_list_silent_agents() returns setof text
language sql stable
set search_path = corral, pg_catalog
as $$
    select a.agent_id
      from agents a
     where a.lease_until < fn_now() and fn_verdicts_are_open()
       and exists (select 1 from job_steps s
                    where s.status = 'running' and s.lease_token is not null and s.lease_owner = fn_agent_owner(a.agent_id))
     order by a.agent_id
$$;
