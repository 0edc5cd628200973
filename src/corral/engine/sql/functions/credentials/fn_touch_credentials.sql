-- Note that these tokens and operators were used lately. Writes a row at most once a minute, however many servers say so.
-- Called by every server's look after credentials, never by a request. Locks the rows that it writes.
create or replace function corral.fn_touch_credentials(p_token_ids uuid[], p_names text[]) returns void
language sql volatile
set search_path = corral, pg_catalog
as $$
    update node_tokens t set last_used_at = fn_now()
     where t.token_id = any (array(select o.token_id from node_tokens o
                                    where o.token_id = any (p_token_ids)
                                      and (o.last_used_at is null or o.last_used_at <= fn_now() - interval '1 minute')
                                    order by o.token_id for no key update));
    update operators p set last_used_at = fn_now()
     where p.name = any (array(select o.name from operators o
                                where o.name = any (p_names)
                                  and (o.last_used_at is null or o.last_used_at <= fn_now() - interval '1 minute')
                                order by o.name for no key update));
$$;
