-- Named operators as admins see them: never the token, nor what is kept of it.
create or replace view corral.operator_states as
select o.name, o.role, o.token_at, o.created_at, o.created_by, o.last_used_at, o.revoked_at
  from corral.operators o;
