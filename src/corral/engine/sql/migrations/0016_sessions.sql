-- Sessions: phones that are held for a person or a program. Each is a run of one job, which holds the lease like any other job;
-- what is kept here is who holds the phone, and for how long without another word.

create table corral.device_sessions (
    session_id   uuid primary key,
    run_id       uuid not null unique,
    holder       text not null,
    purpose      text,
    tags         text[] not null default '{}',
    ttl          interval not null check (ttl between '10 s' and '12 hours'),
    renewed_at   timestamptz not null,
    input_seq    bigint not null default 0,
    created_at   timestamptz not null,
    ended_at     timestamptz,
    end_reason   text check (end_reason in ('released', 'forced', 'expired', 'device_lost', 'node_lost', 'refused')),
    end_message  text,
    ended_by     text,
    constraint device_sessions_end_whole check ((ended_at is null) = (end_reason is null)),
    constraint device_sessions_forced_have_a_reason check (end_reason <> 'forced' or end_message is not null)
);
create index device_sessions_live on corral.device_sessions (session_id) where ended_at is null;
comment on column corral.device_sessions.renewed_at is 'From when ttl counts, unless the phone was had later: then from there.';

-- What holders do to the screens of their phones, until the node has taken it. Unlogged: a tap is worth nothing after a crash.
create unlogged table corral.session_inputs (
    session_id  uuid not null,
    seq         bigint not null,
    input       jsonb not null check (jsonb_typeof(input) = 'object'),
    created_at  timestamptz not null,
    primary key (session_id, seq)
);
