-- Let streams know that objects of the coordinator door changed, or are gone. Called last by every function that changes one.
create or replace function corral.fn_note_changes(p_topic text, p_object_ids text[], p_is_gone boolean default false) returns void
language sql volatile
set search_path = corral, pg_catalog
as $$
    insert into changes (topic, object_id, is_gone, at)
    select p_topic, u.object_id, p_is_gone, fn_now() from unnest(p_object_ids) as u (object_id)
$$;
