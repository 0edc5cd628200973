-- What holders did to the screens of a node's phones and the node has not taken yet, each session's in order: what a pull carries to it.
-- p_taken says how far it came with each lease, {lease_token: seq}. Only of a session whose job holds its lane now.
create or replace function corral.fn_list_device_inputs(p_node_id text, p_taken jsonb default '{}')
returns table (session_id uuid, lease_token uuid, seq bigint, input jsonb)
language sql stable
set search_path = corral, pg_catalog
as $$
    select i.session_id, l.lease_token, i.seq, i.input
      from session_inputs i
      join device_sessions s on s.session_id = i.session_id and s.ended_at is null
      join jobs j on j.run_id = s.run_id and j.status = 'running'
      join lanes l on l.device_id = j.device_id and l.lease_token = j.lease_token and not l.cancel_requested
     where l.node_id = p_node_id and i.created_at > fn_now() - fn_input_patience()
       and i.seq > coalesce((p_taken ->> l.lease_token::text)::bigint, 0)
     order by i.session_id, i.seq
$$;
