-- Write down how full the file systems of a server are; p_disks is a list of {path, total_bytes, free_bytes}. Those that nobody saw
-- for a day are forgotten. Called by the one upkeep leader. Locks the rows of disks.
create or replace function corral.fn_report_disks(p_host text, p_disks jsonb) returns void
language plpgsql volatile
set search_path = corral, pg_catalog
as $$
begin
    insert into disks as o (host, path, total_bytes, free_bytes, seen_at)
    select p_host, d ->> 'path', (d ->> 'total_bytes')::bigint, (d ->> 'free_bytes')::bigint, fn_now()
      from jsonb_array_elements(p_disks) d
     order by d ->> 'path'
    on conflict (host, path) do update
       set total_bytes = excluded.total_bytes, free_bytes = excluded.free_bytes, seen_at = excluded.seen_at;
    delete from disks d where d.seen_at < fn_now() - interval '1 day';
end $$;
