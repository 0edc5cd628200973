-- Refuse a run's policy that has an unknown key or a value out of range, naming it. Raises CR002 invalid_request with the path.
create or replace function corral.fn_check_policy(p_policy jsonb) returns void
language plpgsql immutable
set search_path = corral, pg_catalog
as $$
declare
    v_key    text;
    v_value  jsonb;
    v_range  numrange;
begin
    if jsonb_typeof(p_policy) <> 'object' then
        raise exception 'policy must be an object' using errcode = 'CR002', detail = 'policy';
    end if;
    for v_key, v_value in select p.key, p.value from jsonb_each(p_policy) p order by p.key loop
        if v_key = 'offline' then
            if v_value not in ('"skip"', '"wait"') then
                raise exception 'offline must be skip or wait, not %', v_value using errcode = 'CR002', detail = 'policy.offline';
            end if;
            continue;
        end if;
        v_range := case v_key when 'concurrency' then '[1,1000000]' when 'max_attempts' then '[1,100]'
                              when 'priority' then '[-1000,1000]' when 'wait_timeout_s' then '[1,2592000]'
                              when 'grace_wait_s' then '[0,600]' end;
        if v_range is null then
            raise exception 'policy has no setting %', v_key using errcode = 'CR002', detail = 'policy.' || v_key;
        elsif jsonb_typeof(v_value) <> 'number' or not (v_value::numeric <@ v_range)
              or (v_key in ('concurrency', 'max_attempts', 'priority') and v_value::numeric % 1 <> 0) then
            raise exception '% must be a number in %, not %', v_key, v_range, v_value
                  using errcode = 'CR002', detail = 'policy.' || v_key;
        end if;
    end loop;
end $$;
