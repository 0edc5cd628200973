-- Who did what to which.
create or replace view corral.audit_entries as
select a.audit_id, a.at, a.actor, a.action, a.object as subject, a.detail
  from corral.audit a;
