-- The agent behind the owner of a lease; a node that claimed a task for itself is told by its own name. Inlined.
create or replace function corral.fn_agent_of(p_owner text) returns text
language sql immutable parallel safe
as $$ select case when pg_catalog.starts_with(p_owner, 'agent:') then pg_catalog.substr(p_owner, 7) else p_owner end $$;
