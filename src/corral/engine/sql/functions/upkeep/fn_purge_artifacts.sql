-- Forget artifacts older than p_before, at most p_limit a call: nobody sees them any more. Their bytes are then leftovers, which
-- fn_list_leftover_artifacts names until they are gone: a crash in between loses neither a row's bytes nor the way to them.
create or replace function corral.fn_purge_artifacts(p_before timestamptz, p_limit integer default 1000) returns integer
language plpgsql volatile
set search_path = corral, pg_catalog
as $$
declare
    v_gone  integer;
begin
    delete from artifacts a
     where a.artifact_id = any (array(select o.artifact_id from artifacts o where o.created_at < p_before
                                       order by o.created_at limit coalesce(p_limit, 1000)));
    get diagnostics v_gone = row_count;
    return v_gone;
end $$;
