-- Read events from JSON without ever failing on one of them: one of the wrong shape has a fault, which says what is wrong.
-- Called by fn_judge_events, and written so that it is inlined there: hence no search_path of its own.
create or replace function corral.fn_read_events(p_events jsonb)
returns table (ord bigint, node_id text, event_id uuid, job_id uuid, lease_token uuid, seq bigint, type text, at timestamptz,
               body jsonb, fault text)
language sql stable
as $$
    with told as materialized (
        select e.ord, e.body, e.body ->> 'node_id' as node_id, e.body ->> 'type' as type, e.body ->> 'event_id' as event_id,
               e.body ->> 'job_id' as job_id, e.body ->> 'lease_token' as lease_token, e.body ->> 'seq' as seq, e.body ->> 'at' as at
          from jsonb_array_elements(p_events) with ordinality as e (body, ord)
    ), read as (
        select t.ord, t.body, t.node_id, t.type,
               case when corral.fn_is_uuid(t.event_id) then t.event_id::uuid end as event_id,
               case when corral.fn_is_uuid(t.job_id) then t.job_id::uuid end as job_id,
               case when corral.fn_is_uuid(t.lease_token) then t.lease_token::uuid end as lease_token,
               case when length(t.seq) <= 15 and t.seq ~ '^[1-9]\d*$' then t.seq::bigint end as seq,
               case when t.at ~ '^\d{4}-(0\d|1[0-2])-([0-2]\d|3[01])T([01]\d|2[0-3]):[0-5]\d:[0-5]\d(\.\d{1,9})?(Z|[+-]\d\d:\d\d)$'
                    then t.at::timestamptz end as at
          from told t
        offset 0  -- evaluated once a row, however often it is used above
    )
    select r.ord, r.node_id, r.event_id, r.job_id, r.lease_token, r.seq, r.type, r.at, r.body,
           case when r.event_id is null then 'event_id must be a UUID'
                when r.node_id is null then 'node_id is missing'
                when r.body ? 'at' and r.at is null then 'at must be an ISO-8601 instant with a time zone'
                when r.type is null or r.type not in ('job_started', 'step_started', 'step_finished', 'log', 'artifact_created',
                                                      'job_finished', 'test_results', 'scan_progress', 'scan_finished')
                     then format('type %s is unknown', coalesce(r.type, 'null'))
                when r.type in ('scan_progress', 'scan_finished')
                     then case when not coalesce(corral.fn_is_uuid(r.body ->> 'scan_id'), false) then 'scan_id must be a UUID' end
                when r.job_id is null then 'job_id must be a UUID'
                when r.lease_token is null then 'lease_token must be a UUID'
                when r.type not in ('log', 'artifact_created') and r.seq is null then 'seq must be a positive number'
                else corral.fn_check_event_body(r.type, r.body) end
      from read r
$$;
