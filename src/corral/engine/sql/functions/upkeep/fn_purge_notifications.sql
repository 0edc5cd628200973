-- Forget deliveries that ended, and were asked for before p_before, at most p_limit a call; then what nobody is told of any more.
create or replace function corral.fn_purge_notifications(p_before timestamptz, p_limit integer default 10000) returns integer
language plpgsql volatile
set search_path = corral, pg_catalog
as $$
declare
    v_gone  integer;
begin
    delete from deliveries d
     where d.delivery_id = any (array(select o.delivery_id from deliveries o
                                       where o.created_at < p_before
                                         and (o.status <> 'waiting'
                                              or not exists (select 1 from webhooks w where w.webhook_id = o.webhook_id))
                                       limit coalesce(p_limit, 10000)));
    get diagnostics v_gone = row_count;
    delete from notifications n
     where n.notification_id = any (array(
               select o.notification_id from notifications o
                where o.at < p_before and not exists (select 1 from deliveries d where d.notification_id = o.notification_id)
                limit coalesce(p_limit, 10000)));
    return v_gone;
end $$;
