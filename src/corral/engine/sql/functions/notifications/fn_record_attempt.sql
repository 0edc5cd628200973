-- Write down how an attempt ended: p_error is null where it was delivered; otherwise it is tried again in p_retry_in, or never where that
-- is null. The last twenty attempts are kept. A word of an attempt that was given up on meanwhile changes nothing.
-- Locks the delivery. Returns the delivery's status, null where nothing changed.
create or replace function corral.fn_record_attempt(
    p_delivery_id uuid, p_claim_token uuid, p_status_code integer, p_latency_ms integer, p_error text, p_retry_in interval)
returns text
language plpgsql volatile
set search_path = corral, pg_catalog
set timezone = 'UTC'
as $$
declare
    v_now     timestamptz := fn_now();
    v_status  text := case when p_error is null then 'delivered' when p_retry_in is null then 'failed' else 'waiting' end;
begin
    update deliveries d
       set status = v_status,
           claim_token = null,
           is_forced = d.is_forced and v_status = 'waiting',
           next_attempt_at = case when v_status = 'waiting' then v_now + p_retry_in end,
           finished_at = case when v_status <> 'waiting' then v_now end,
           last_status_code = p_status_code, last_latency_ms = p_latency_ms, last_error = p_error,
           attempts = (case when jsonb_array_length(d.attempts) >= 20 then d.attempts - 0 else d.attempts end)
                      || jsonb_build_object('at', v_now, 'status_code', p_status_code, 'latency_ms', p_latency_ms, 'error', p_error)
     where d.delivery_id = p_delivery_id and d.claim_token = p_claim_token and d.status = 'waiting';
    return case when found then v_status end;
end $$;
