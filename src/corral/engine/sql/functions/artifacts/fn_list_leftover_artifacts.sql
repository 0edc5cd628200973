-- Keys of uploads that no artifact speaks of and none will any more (its row was purged, or its event never came): their objects may be
-- deleted, and then they are forgotten. A page at a time, behind p_after. Called by upkeep. Walks two indexes side by side.
create or replace function corral.fn_list_leftover_artifacts(p_after text, p_limit integer default 500) returns setof text
language sql stable
set search_path = corral, pg_catalog
as $$
    select u.key
      from artifact_uploads u, settings s
     where u.key > p_after
       and u.begun_at < fn_now() - s.late_evidence - interval '1 hour'
       and not exists (select 1 from artifacts a where a.key = u.key)
       and not exists (select 1 from leases l
                        where l.job_id = u.job_id
                          and (l.ended_at is null or l.ended_at >= fn_now() - s.late_evidence - interval '1 hour'))
     order by u.key
     limit p_limit
$$;
