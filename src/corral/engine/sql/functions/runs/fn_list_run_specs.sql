-- What a node needs to execute jobs of these runs, secrets included: for the node contract only, never for views.
create or replace function corral.fn_list_run_specs(p_run_ids uuid[])
returns table (run_id uuid, workflow_id uuid, workflow_name text, workflow_version integer, recipe jsonb, params jsonb,
               secret_params jsonb, overrides jsonb, policy jsonb, seed text, youtube_video_id text, name text)
language sql stable
set search_path = corral, pg_catalog
as $$
    select r.run_id, w.workflow_id, w.name, w.version, w.recipe, r.params, coalesce(s.params, '{}'), r.overrides, r.policy, r.seed,
           r.youtube_video_id, r.name
      from runs r
      join workflows w on w.workflow_id = r.workflow_id
      left join run_secrets s on s.run_id = r.run_id
     where r.run_id = any (p_run_ids)
$$;
