-- A UUIDv7: random, but sorted by the millisecond in which it was made. PostgreSQL 15 has none of its own.
create or replace function corral.fn_uuid7() returns uuid
language sql volatile parallel safe
as $$
    select encode(
        set_bit(set_bit(
            overlay(uuid_send(gen_random_uuid())
                    placing substring(int8send((extract(epoch from clock_timestamp()) * 1000)::bigint) from 3)
                    from 1 for 6),
            52, 1), 53, 1),
        'hex')::uuid
$$;
