-- Forget which tasks were claimed with which keys before p_before, at most p_limit a call. A key repeated later claims anew.
create or replace function corral.fn_purge_task_claims(p_before timestamptz, p_limit integer default 10000) returns integer
language plpgsql volatile
set search_path = corral, pg_catalog
as $$
declare
    v_gone  integer;
begin
    delete from task_claims c
     where c.ctid = any (array(select o.ctid from task_claims o where o.claimed_at < p_before limit coalesce(p_limit, 10000)));
    get diagnostics v_gone = row_count;
    return v_gone;
end $$;
