-- Who did what to which. audit_id grows with time, so it orders entries and pages them.
create or replace view corral.audit_entries as
select a.audit_id, a.at, a.actor, a.action, a.object as subject, a.detail
  from corral.audit a;
