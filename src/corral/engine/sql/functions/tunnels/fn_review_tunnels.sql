-- Of the tunnels given, why each must be cut (null: it need not), and for how long its session goes on without another word. Asked about
-- once a second by each server that carries tunnels. Locks nothing; reads each session by key.
create or replace function corral.fn_review_tunnels(p_tunnel_ids uuid[])
returns table (tunnel_id uuid, over text, left_s double precision)
language sql stable
set search_path = corral, pg_catalog
as $$
    select g.tunnel_id,
           case when v.ended_at is not null then 'the session has ended: ' || v.end_reason
                when v.expires_at <= fn_now() then 'the session has expired'
                when t.tunnel_id is null or v.lease_token is distinct from t.lease_token then 'the session has lost its phone' end,
           coalesce(extract(epoch from v.expires_at - fn_now()), 0)::double precision
      from unnest(p_tunnel_ids) g (tunnel_id)
      left join tunnels t on t.tunnel_id = g.tunnel_id
      left join device_session_states v on v.session_id = t.session_id
$$;
