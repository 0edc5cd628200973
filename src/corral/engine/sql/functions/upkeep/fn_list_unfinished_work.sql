-- Runs whose fan-out or cancellation stopped half-way, for upkeep to resume.
create or replace function corral.fn_list_unfinished_work()
returns table (run_id uuid, work text)
language sql stable
set search_path = corral, pg_catalog
as $$
    select r.run_id, case when r.cancel_requested_at is not null then 'cancel' else 'fan_out' end
      from runs r
     where r.finished_at is null and (r.cancel_requested_at is not null or r.fanned_out_at is null)
     order by r.run_id
$$;
