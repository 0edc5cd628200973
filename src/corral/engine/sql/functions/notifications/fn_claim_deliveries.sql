-- Take deliveries that are due, for an attempt that must be recorded within p_within: later they are due again, because whoever took
-- them died. At most p_each of each webhook, so that a slow receiver keeps nobody else waiting; none of p_busy, whose last ones are
-- still under way. Called by upkeep only: it holds what bodies are signed with. Locks the deliveries, skipping those that others hold.
create or replace function corral.fn_claim_deliveries(p_busy uuid[], p_each integer, p_within interval)
returns table (delivery_id uuid, claim_token uuid, webhook_id uuid, kind text, url text, secret text, tries integer,
               notification_id uuid, type text, at timestamptz, data jsonb, now timestamptz)
language plpgsql volatile
set search_path = corral, pg_catalog
as $$
#variable_conflict use_column
begin
    return query
    with due as (
        select f.delivery_id
          from webhooks w
         cross join lateral (
               select d.delivery_id from deliveries d
                where d.webhook_id = w.webhook_id and d.status = 'waiting' and d.next_attempt_at <= fn_now()
                  and (w.is_enabled or d.is_forced)
                order by d.next_attempt_at, d.delivery_id limit p_each
                  for no key update skip locked) f
         where w.webhook_id <> all (p_busy)
    ), claimed as (
        update deliveries d
           set claim_token = gen_random_uuid(), tries = d.tries + 1, next_attempt_at = fn_now() + p_within
          from due u where d.delivery_id = u.delivery_id
        returning d.*
    )
    select c.delivery_id, c.claim_token, c.webhook_id, w.kind, w.url, s.secret, c.tries, n.notification_id, n.type, n.at, n.data,
           fn_now()
      from claimed c
      join webhooks w on w.webhook_id = c.webhook_id
      join notifications n on n.notification_id = c.notification_id
      left join webhook_secrets s on s.webhook_id = c.webhook_id
     order by n.at, c.delivery_id;
end $$;
