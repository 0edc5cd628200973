-- The name under which an agent leases tasks: no node's name has a colon. Inlined.
create or replace function corral.fn_agent_owner(p_agent_id text) returns text
language sql immutable parallel safe
as $$ select 'agent:' || p_agent_id $$;
