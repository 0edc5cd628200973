-- Contents whose picture this caller is to fetch now; nobody else gets them for a while, and after five tries nobody at all.
-- Called by upkeep. Locks the contents, skipping those that others hold.
create or replace function corral.fn_claim_thumbnails(p_limit integer default 8) returns setof text
language sql volatile
set search_path = corral, pg_catalog
as $$
    update contents c
       set thumbnail_tries = c.thumbnail_tries + 1,
           thumbnail_due_at = case when c.thumbnail_tries < 4 then fn_now() + interval '2 minutes' * (2 ^ c.thumbnail_tries) end
     where c.content_id in (select d.content_id from contents d where d.thumbnail_due_at <= fn_now()
                             order by d.thumbnail_due_at limit p_limit for no key update skip locked)
    returning c.youtube_video_id
$$;
