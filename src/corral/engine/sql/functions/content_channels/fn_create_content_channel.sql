-- Keep a channel in sync from now on; one that is registered already stays as it is. p_channel holds youtube_channel_id, title, handle,
-- sync_every_s, run, run_cap. Returns whether it is new. Raises CR002 invalid_request with the path.
create or replace function corral.fn_create_content_channel(p_channel jsonb, p_actor text) returns boolean
language plpgsql volatile
set search_path = corral, pg_catalog
as $$
declare
    v_made  uuid;
begin
    perform fn_check_content_run(p_channel -> 'run');
    insert into content_channels (content_channel_id, youtube_channel_id, title, handle, sync_every, run_request, run_cap, next_sync_at,
                                  created_by, created_at)
    values (fn_uuid7(), p_channel ->> 'youtube_channel_id', p_channel ->> 'title', p_channel ->> 'handle',
            make_interval(secs => coalesce((p_channel ->> 'sync_every_s')::double precision, 180)),
            nullif(p_channel -> 'run', 'null'), coalesce((p_channel ->> 'run_cap')::integer, 10), fn_now(),
            coalesce(p_actor, 'anonymous'), fn_now())
    on conflict (youtube_channel_id) do nothing
    returning content_channel_id into v_made;
    if v_made is null then
        return false;
    end if;
    perform fn_record_audit(p_actor, 'content_channel.create', p_channel ->> 'youtube_channel_id',
                            jsonb_strip_nulls(jsonb_build_object('title', p_channel ->> 'title', 'run', p_channel -> 'run' ->> 'workflow')));
    return true;
end $$;
