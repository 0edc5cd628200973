-- What the store holds: input files under their names, artifacts that were uploaded (reported or not); and how full disks are.

-- A row of files is a reservation until a name refers to it, and condemned while its object is being deleted.
alter table corral.files
    add column file_id       uuid not null default gen_random_uuid(),
    add column reserved_at   timestamptz,
    add column condemned_at  timestamptz;
comment on column corral.files.file_id is 'Of this row: who reserved an earlier row of the same contents must not give this one a name.';
update corral.files set reserved_at = created_at;
alter table corral.files
    alter column reserved_at set not null,
    alter column file_id drop default;

-- The newest row of a name is what the name means; the older contents are reached by their sha256.
create table corral.file_names (
    file_no     bigint generated always as identity primary key,
    name        text not null check (name ~ '^[^/\\[:cntrl:]]{1,200}$'),
    sha256      text not null references corral.files on delete cascade,
    created_by  text,
    created_at  timestamptz not null,
    constraint file_names_once_per_content unique (name, sha256)
);
create index file_names_by_name on corral.file_names (name, file_no desc);
create index file_names_by_content on corral.file_names (sha256, file_no desc);
insert into corral.file_names (name, sha256, created_by, created_at)
select f.name, f.sha256, f.created_by, f.created_at from corral.files f order by f.created_at;
alter table corral.files
    drop column name,
    drop column created_by,
    drop column created_at;

-- Written before an artifact's bytes are stored and removed after they are deleted, so that nothing in the store is ever forgotten.
create table corral.artifact_uploads (
    key           text primary key,
    job_id        uuid not null,
    sha256        text check (sha256 ~ '^[0-9a-f]{64}$'),
    size_bytes    bigint check (size_bytes >= 0),
    content_type  text,
    begun_at      timestamptz not null,
    stored_at     timestamptz,
    constraint artifact_uploads_stored_whole check (
        (stored_at is null) = (sha256 is null) and (stored_at is null) = (size_bytes is null)
        and (stored_at is null) = (content_type is null))
);

create index artifacts_by_time on corral.artifacts (created_at, artifact_id);
create index artifacts_by_device on corral.artifacts (device_id, created_at);

-- The file systems that a server depends on, as the leader of upkeep last saw them.
create table corral.disks (
    host         text not null,
    path         text not null,
    total_bytes  bigint not null check (total_bytes >= 0),
    free_bytes   bigint not null check (free_bytes >= 0),
    seen_at      timestamptz not null,
    primary key (host, path)
);
