-- Refuse steps that make no sense, naming the first: a name that is missing or taken, a need that does not exist, a circle.
-- Called by fn_add_steps under the job's lock. Raises CR002 invalid_request, CR003 conflict, with the path.
create or replace function corral.fn_check_steps(p_job_id uuid, p_steps jsonb) returns void
language plpgsql stable
set search_path = corral, pg_catalog
as $$
declare
    v_fault   record;
    v_froms   text[];
    v_tos     text[];
    v_before  integer;
begin
    if coalesce(jsonb_typeof(p_steps), '') <> 'array' then
        raise exception 'steps must be a list' using errcode = 'CR002', detail = 'steps';
    end if;
    with given as materialized (
        select s.place - 1 as place, s.body, s.body ->> 'name' as name,
               row_number() over (partition by s.body ->> 'name' order by s.place) as occurrence
          from jsonb_array_elements(p_steps) with ordinality as s (body, place)
    ), edges as materialized (
        select g.place, g.name, n.needed, o.place as needed_place
          from given g
         cross join jsonb_array_elements_text(
                   case when jsonb_typeof(g.body -> 'needs') = 'array' then g.body -> 'needs' else '[]' end) as n (needed)
          left join given o on o.name = n.needed and o.occurrence = 1
    ), faults as (
        select g.place, format('steps.%s.name', g.place) as path, 'a step needs a name' as message, 'CR002' as code
          from given g where coalesce(g.name, '') = ''
        union all
        select g.place, format('steps.%s.name', g.place), format('step %s exists already', g.name), 'CR003'
          from given g
         where g.occurrence > 1
            or exists (select 1 from job_steps s where s.job_id = p_job_id and s.job_attempt = 1 and s.name = g.name)
        union all
        select e.place, format('steps.%s.needs', e.place), format('step %s needs %s, which does not exist', e.name, e.needed), 'CR002'
          from edges e
         where e.needed_place is null
           and not exists (select 1 from job_steps s where s.job_id = p_job_id and s.job_attempt = 1 and s.name = e.needed)
    )
    select f.path, f.message, f.code, x.froms, x.tos into v_fault
      from (select array_agg(e.needed) as froms, array_agg(e.name) as tos from edges e
             where exists (select 1 from edges b where b.needed_place >= b.place)) x
      left join faults f on true
     order by f.place
     limit 1;
    if v_fault.message is not null then
        raise exception '%', v_fault.message using errcode = v_fault.code, detail = v_fault.path;
    end if;

    -- Steps listed after their needs cannot form a circle. Otherwise peel off what needs nothing of the rest, until nothing is left.
    v_froms := coalesce(v_fault.froms, '{}');
    v_tos := v_fault.tos;
    while cardinality(v_froms) > 0 loop
        v_before := cardinality(v_froms);
        select coalesce(array_agg(e.needed), '{}'), array_agg(e.step) into v_froms, v_tos
          from unnest(v_froms, v_tos) as e (needed, step)
         where e.needed in (select o.step from unnest(v_tos) as o (step));
        if cardinality(v_froms) = v_before then
            raise exception 'steps need one another in a circle: %',
                            array_to_string(array(select distinct unnest(v_tos) order by 1 limit 10), ', ')
                  using errcode = 'CR002', detail = 'steps';
        end if;
    end loop;
end $$;
