-- Rule 12's guarantee: end every run whose jobs have all ended, whatever its last finisher missed. Called by upkeep.
create or replace function corral.fn_finish_open_runs() returns integer
language plpgsql volatile
set search_path = corral, pg_catalog
as $$
begin
    return fn_advance_runs('{}', array(
        select r.run_id from runs r where r.finished_at is null and r.fanned_out_at is not null
           and r.total_jobs = (select coalesce(sum(v.succeeded + v.failed + v.cancelled + v.skipped_offline), 0)
                                 from run_versions v where v.run_id = r.run_id)));
end $$;
