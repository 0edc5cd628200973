-- The devices of a target, in the order of their numbers, from behind p_after up to p_until, at most p_limit of them.
-- Called by fn_fan_out_run, chunk by chunk, with a target that fn_check_target let through.
create or replace function corral.fn_match_devices(p_target jsonb, p_after integer, p_until integer, p_limit integer)
returns table (device_id uuid, index_no integer)
language plpgsql stable rows 5000
set search_path = corral, pg_catalog
as $$
#variable_conflict use_column
declare
    v_nodes     text[]  := case when p_target ? 'nodes' then array(select jsonb_array_elements_text(p_target -> 'nodes')) end;
    v_serials   text[]  := case when p_target ? 'serials' then array(select jsonb_array_elements_text(p_target -> 'serials')) end;
    v_labels    text[]  := case when p_target ? 'labels' then array(select jsonb_array_elements_text(p_target -> 'labels')) end;
    v_tags      text[]  := case when p_target ? 'tags' then array(select jsonb_array_elements_text(p_target -> 'tags')) end;
    v_ids       uuid[]  := case when p_target ? 'device_ids'
                                then array(select jsonb_array_elements_text(p_target -> 'device_ids')::uuid) end;
    v_retry_of  uuid    := p_target ->> 'retry_of';
    v_replay_of uuid    := p_target ->> 'replay_of';
    v_statuses  text[]  := case when p_target ? 'statuses' then array(select jsonb_array_elements_text(p_target -> 'statuses'))
                                else '{failed,cancelled,skipped_offline}' end;
    v_indexes   int4multirange;
begin
    if p_target ? 'indexes' then
        select range_agg(case jsonb_typeof(e.item)
                              when 'array' then int4range(fn_whole_number(e.item -> 0), fn_whole_number(e.item -> 1), '[]')
                              else int4range(fn_whole_number(e.item), fn_whole_number(e.item), '[]') end)
          into v_indexes
          from jsonb_array_elements(p_target -> 'indexes') as e (item);
    end if;
    return query
        select d.device_id, d.index_no
          from devices d
         where d.index_no > p_after and d.index_no <= p_until
           and (v_nodes is null or d.node_id = any (v_nodes))
           and (v_serials is null or d.serial = any (v_serials))
           and (v_labels is null or d.label = any (v_labels))
           and (v_ids is null or d.device_id = any (v_ids))
           and (v_tags is null or d.tags @> v_tags)
           and (v_indexes is null or d.index_no <@ v_indexes)
           and (v_retry_of is null or exists (select 1 from jobs j where j.run_id = v_retry_of and j.device_id = d.device_id
                                                 and j.status = any (v_statuses)))
           and (v_replay_of is null or exists (select 1 from jobs j where j.run_id = v_replay_of and j.device_id = d.device_id))
         order by d.index_no
         limit p_limit;
end $$;
