-- What became of due times, with what has become of their runs; run_status is null where the run was purged.
create or replace view corral.firing_states as
select f.firing_id, f.schedule_id, f.due_at, f.is_by_hand, f.outcome, f.times, f.reason, f.run_id, r.status as run_status, f.recorded_at
  from corral.firings f left join corral.runs r on r.run_id = f.run_id;
