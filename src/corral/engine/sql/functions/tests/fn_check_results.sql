-- What is wrong with the list of a test_results event, or null: the first fault of the first result that has one.
-- Called by fn_check_event_body.
create or replace function corral.fn_check_results(p_results jsonb) returns text
language sql immutable
as $$
    select case
        when coalesce(jsonb_typeof(p_results), '') <> 'array' then 'results must be a list of {class_name, name, status, duration_s, try, …}'
        when jsonb_array_length(p_results) not between 1 and 100 then 'results must be 1 to 100'
        else (
            select f.fault
              from jsonb_array_elements(p_results) with ordinality as r (body, place),
                   lateral (select case
                       when jsonb_typeof(r.body) <> 'object' then 'results must be objects'
                       when coalesce(jsonb_typeof(r.body -> 'class_name'), '') <> 'string' or length(r.body ->> 'class_name') > 500
                            then 'class_name must be a text of at most 500 characters'
                       when coalesce(jsonb_typeof(r.body -> 'name'), '') <> 'string' or length(r.body ->> 'name') not between 1 and 500
                            then 'name must be a text of 1 to 500 characters'
                       when coalesce(r.body ->> 'status', '') not in ('passed', 'failed', 'errored', 'skipped')
                            then 'status must be passed, failed, errored or skipped'
                       when coalesce(jsonb_typeof(r.body -> 'try'), '') <> 'number' or r.body ->> 'try' !~ '^([1-9]\d{0,2}|1000)$'
                            then 'try must be a whole number from 1 to 1000'
                       when coalesce(jsonb_typeof(r.body -> 'duration_s'), '') <> 'number' then 'duration_s must be a number'
                       when (r.body ->> 'duration_s')::numeric not between 0 and 1000000 then 'duration_s must be from 0 to 1000000'
                       when coalesce(jsonb_typeof(r.body -> 'message'), 'null') not in ('string', 'null') then 'message must be a text'
                       when coalesce(jsonb_typeof(r.body -> 'trace'), 'null') not in ('string', 'null') then 'trace must be a text'
                       end as fault) f
             where f.fault is not null
             order by r.place limit 1)
    end
$$;
