-- What became of the health of devices, and by whom.
create or replace view corral.device_health_changes as
select h.device_id, h.at, h.health, h.reason, h.changed_by from corral.health_changes h;
