-- What is wrong with the part of an event that its type asks for, or null. Called by fn_read_events, and written so
-- that it is inlined there: hence no search_path of its own.
create or replace function corral.fn_check_event_body(p_type text, p_body jsonb) returns text
language sql immutable
as $$
    select case
        when p_type in ('step_started', 'step_finished', 'test_results') and coalesce(p_body ->> 'step', '') = '' then 'step is missing'
        when octet_length(p_body ->> 'step') > 200 then 'step is longer than 200 bytes'
        when p_type = 'test_results' then corral.fn_check_results(p_body -> 'results')
        when p_type = 'step_finished' and coalesce(p_body ->> 'status', '') not in ('succeeded', 'failed', 'skipped', 'cancelled')
             then 'status must be succeeded, failed, skipped or cancelled'
        when p_type = 'job_finished' and coalesce(p_body ->> 'outcome', '') not in ('succeeded', 'failed', 'cancelled', 'interrupted')
             then 'outcome must be succeeded, failed, cancelled or interrupted'
        when p_type = 'job_finished' and p_body ? 'steps' and (
                 jsonb_typeof(p_body -> 'steps') <> 'array'
                 or jsonb_path_exists(p_body, '$.steps[*] ? (!exists(@.step) || !exists(@.status))')
                 or jsonb_path_exists(p_body, '$.steps[*].status ? (@ != "succeeded" && @ != "failed" && @ != "skipped" && @ != "cancelled")')
                 or jsonb_path_exists(p_body, '$.steps[*] ? (!(@.step like_regex "^.{1,200}$" flag "s"))'))
             then 'steps must be a list of {step, status, …} in final states'
        when p_type = 'log' and (coalesce(jsonb_typeof(p_body -> 'lines'), '') <> 'array'
                                 or jsonb_path_exists(p_body, '$.lines[*] ? (!exists(@.message))'))
             then 'lines must be a list of {message, …}'
        when p_type = 'artifact_created' and coalesce(p_body ->> 'key', '') = '' then 'key is missing'
        when octet_length(p_body ->> 'key') > 1024 then 'key is longer than 1024 bytes'
        when p_type = 'artifact_created' and coalesce(p_body ->> 'kind', 'file') not in ('screenshot', 'log', 'file')
             then 'kind must be screenshot, log or file'
        when p_type = 'artifact_created' and coalesce(p_body ->> 'sha256', repeat('0', 64)) !~ '^[0-9a-f]{64}$'
             then 'sha256 must be 64 hex digits'
        when p_type = 'artifact_created' and coalesce(p_body ->> 'size_bytes', '0') !~ '^\d{1,15}$' then 'size_bytes must be a number'
        when coalesce(p_body ->> 'position', '0') !~ '^\d{1,6}$' then 'position must be a number'
        when coalesce(p_body ->> 'attempt', '0') !~ '^\d{1,6}$' then 'attempt must be a number'
        when coalesce(p_body ->> 'total', '0') !~ '^\d{1,6}$' then 'total must be a number'
        when coalesce(jsonb_typeof(p_body -> 'probability'), 'number') not in ('number', 'null')
             or coalesce(jsonb_typeof(p_body -> 'draw'), 'number') not in ('number', 'null') then 'probability and draw must be numbers'
    end
$$;
