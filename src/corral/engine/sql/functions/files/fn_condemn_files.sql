-- The contents to delete: those whose deletion was begun ten minutes ago and not finished, and reservations of a day ago that never got a
-- name. They are condemned, so that nobody gives them one any more. Called by upkeep, which deletes their objects and calls
-- fn_forget_file. Locks the files' rows.
create or replace function corral.fn_condemn_files(p_limit integer default 500) returns setof text
language sql volatile
set search_path = corral, pg_catalog
as $$
    update files f
       set condemned_at = fn_now()
     where f.sha256 = any (array(
               select o.sha256 from files o
                where o.condemned_at < fn_now() - interval '10 minutes'
                   or o.condemned_at is null and o.reserved_at < fn_now() - interval '1 day'
                      and not exists (select 1 from file_names n where n.sha256 = o.sha256)
                order by o.sha256 limit p_limit for no key update skip locked))
    returning f.sha256
$$;
