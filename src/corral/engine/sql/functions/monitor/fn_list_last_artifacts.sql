-- The last 12 artifacts of a job, or where none is given of a run (then with the number of their device), newest first, as JSON.
-- Called by fn_get_monitor and fn_get_selected. Reads the tail of one index.
create or replace function corral.fn_list_last_artifacts(p_run_id uuid, p_job_id uuid) returns json
language plpgsql stable
set search_path = corral, pg_catalog
as $$
begin
    if p_job_id is not null then
        return (select coalesce(json_agg(json_build_object(
                           'artifact_id', l.artifact_id, 'kind', l.kind, 'url', format('/api/artifacts/%s/content', l.artifact_id),
                           'created_at', l.created_at)
                           order by l.created_at desc, l.artifact_id desc), '[]')
                  from (select a.* from artifacts a where a.job_id = p_job_id
                         order by a.created_at desc, a.artifact_id desc limit 12) l);
    end if;
    return (select coalesce(json_agg(json_build_object(
                       'index', coalesce(d.index_no, 0), 'artifact_id', l.artifact_id, 'kind', l.kind,
                       'url', format('/api/artifacts/%s/content', l.artifact_id), 'created_at', l.created_at)
                       order by l.created_at desc, l.artifact_id desc), '[]')
              from (select a.* from artifacts a where a.run_id = p_run_id
                     order by a.created_at desc, a.artifact_id desc limit 12) l
              left join devices d on d.device_id = l.device_id);
end $$;
