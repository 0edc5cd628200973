-- Who may call: nodes' own tokens, named operators, browsers' sessions. Of a secret only its sha256 is kept.

-- Counts every change that takes a right away or gives one to an old credential. Servers remember credentials under the
-- version that they read with them, and one glance at this row tells them whether they still may.
create table corral.credential_version (
    is_only  boolean primary key default true check (is_only),
    version  bigint not null default 0
);
insert into corral.credential_version default values;

create table corral.node_tokens (
    token_id      uuid primary key,
    node_id       text not null check (node_id ~ '^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$'),
    digest        bytea not null unique check (octet_length(digest) = 32),
    created_at    timestamptz not null,
    created_by    text not null,
    last_used_at  timestamptz,
    revoked_at    timestamptz,
    revoked_by    text,
    constraint node_tokens_revoked_by_somebody check ((revoked_at is null) = (revoked_by is null))
);
create index node_tokens_by_node on corral.node_tokens (node_id, created_at);
comment on table corral.node_tokens is 'A node may be enrolled before it first registers, and have several tokens while they are rotated.';

create table corral.operators (
    name          text primary key check (name ~ '^[A-Za-z0-9][A-Za-z0-9._@-]{0,62}$'),
    role          text not null check (role in ('viewer', 'operator', 'admin')),
    digest        bytea not null unique check (octet_length(digest) = 32),
    token_at      timestamptz not null,
    created_at    timestamptz not null,
    created_by    text not null,
    last_used_at  timestamptz,
    revoked_at    timestamptz,
    constraint operators_leave_built_in_names check (name not in ('operator', 'local', 'anonymous'))
);
comment on column corral.operators.token_at is 'When the present token was made.';

create table corral.operator_sessions (
    digest      bytea primary key check (octet_length(digest) = 32),
    name        text not null,
    proof       bytea not null check (octet_length(proof) = 32),
    created_at  timestamptz not null,
    expires_at  timestamptz not null check (expires_at > created_at)
);
comment on column corral.operator_sessions.proof is
    'sha256 of the cookie and the token''s digest: a session ends with the token that it was traded for, the configured one included.';
create index operator_sessions_by_name on corral.operator_sessions (name);

alter table corral.nodes add column draining_by text check (draining_by in ('operator', 'node'));
update corral.nodes set draining_by = 'operator' where draining;
alter table corral.nodes add constraint nodes_drain_at_somebodys_word check (draining = (draining_by is not null));
comment on column corral.nodes.draining_by is 'An operator''s word outlives the agent; the node''s own ends with its next registration.';

create index audit_by_actor on corral.audit (actor, at, audit_id);
create index audit_by_object on corral.audit (object, at, audit_id);
