-- Forget samples and changes of health older than p_before, at most p_limit of each a call. The last change of a device stays,
-- however old: what is written next is compared with it.
create or replace function corral.fn_purge_samples(p_before timestamptz, p_limit integer default 10000) returns integer
language plpgsql volatile
set search_path = corral, pg_catalog
as $$
declare
    v_samples  integer;
    v_changes  integer;
begin
    delete from device_samples s
     where s.ctid = any (array(select o.ctid from device_samples o where o.at < p_before limit coalesce(p_limit, 10000)));
    get diagnostics v_samples = row_count;
    delete from health_changes h
     where h.ctid = any (array(
               select o.ctid from health_changes o
                where o.at < p_before
                  and exists (select 1 from health_changes n where n.device_id = o.device_id and n.at > o.at)
                limit coalesce(p_limit, 10000)));
    get diagnostics v_changes = row_count;
    return v_samples + v_changes;
end $$;
