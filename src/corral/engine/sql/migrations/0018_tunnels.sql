-- Tunnels: the adb of a phone that somebody holds, carried through the servers. The sockets are in the memory of the servers that have
-- them; what is kept here is who waits for whom, so that the two ends of a tunnel find one another wherever they arrive.
-- Unlogged: none of it is worth anything after a crash, which every tunnel ends with.

create unlogged table corral.servers (
    server_id     uuid primary key,
    peer_address  text not null,
    seen_at       timestamptz not null
);
comment on table corral.servers is 'Server processes that run now, and where others of them hand over what belongs to them.';

create unlogged table corral.tunnels (
    tunnel_id    uuid primary key,
    session_id   uuid not null,
    lease_token  uuid not null,
    node_id      text not null,
    server_id    uuid not null,
    secret       text not null,
    created_at   timestamptz not null,
    joined_at    timestamptz
);
create index tunnels_waiting on corral.tunnels (node_id) where joined_at is null;
create index tunnels_of_session on corral.tunnels (session_id);
comment on column corral.tunnels.server_id is 'The process that has the holder''s end.';
comment on column corral.tunnels.secret is 'What another process proves by that it hands over this very tunnel''s other end.';
