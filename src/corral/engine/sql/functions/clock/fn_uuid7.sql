-- A UUIDv7: random, but sorted by the microsecond in which it was made (RFC 9562, 6.2, method 3: the twelve bits behind the version are
-- the millisecond's fraction), so that ids tell which of two rows of one busy millisecond came first. PostgreSQL 15 has none of its own.
-- One expression that reads the clock once: it is planned into the statement that asks, and costs no call.
create or replace function corral.fn_uuid7() returns uuid
language sql volatile parallel safe
as $$
    select (overlay(lpad(to_hex(floor(extract(epoch from clock_timestamp()) * 4096000)::bigint), 15, '0') placing '7' from 13 for 0)
            || substring(gen_random_uuid()::text from 19))::uuid
$$;
