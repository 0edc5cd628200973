-- The newest picture of each device from the last 50 runs on a video, by device number: what each screen showed last.
create or replace function corral.fn_list_content_screenshots(p_youtube_video_id text, p_limit integer default 200) returns setof uuid
language sql stable
set search_path = corral, pg_catalog
as $$
    select n.artifact_id
      from (select distinct on (a.device_id) a.artifact_id, a.device_id
              from (select r.run_id from runs r where r.youtube_video_id = p_youtube_video_id
                     order by r.created_at desc limit 50) l
              join artifacts a on a.run_id = l.run_id and a.kind = 'screenshot' and a.device_id is not null
             order by a.device_id, a.created_at desc, a.artifact_id desc) n
      left join devices d on d.device_id = n.device_id
     order by d.index_no
     limit p_limit
$$;
