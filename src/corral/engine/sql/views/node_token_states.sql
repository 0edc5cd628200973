-- Nodes' own tokens as admins see them: never the token, nor what is kept of it.
create or replace view corral.node_token_states as
select t.token_id, t.node_id, t.created_at, t.created_by, t.last_used_at, t.revoked_at, t.revoked_by
  from corral.node_tokens t;
