-- Forget log lines older than p_before, at most p_limit a call. The whole log is an artifact, kept by its own rule.
create or replace function corral.fn_purge_logs(p_before timestamptz, p_limit integer default 10000) returns integer
language plpgsql volatile
set search_path = corral, pg_catalog
as $$
declare
    v_gone  integer;
begin
    delete from log_lines l
     where l.ctid = any (array(select o.ctid from log_lines o where o.at < p_before limit coalesce(p_limit, 10000)));
    get diagnostics v_gone = row_count;
    return v_gone;
end $$;
