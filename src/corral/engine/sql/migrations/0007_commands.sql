-- Command assets and playbooks hold everything that the recipe language knows of them.

alter table corral.command_assets
    alter column timeout_s type double precision,
    alter column timeout_bounds_s type double precision[]
        using case when timeout_bounds_s is not null
                   then array[lower(timeout_bounds_s), upper(timeout_bounds_s) - 1]::double precision[] end,
    add column params      jsonb not null default '{}' check (jsonb_typeof(params) = 'object'),
    add column on_failure  text check (on_failure in ('stop', 'continue', 'retry')),
    add column retries     integer check (retries >= 0),
    add column repeatable  boolean,
    add column revision    integer not null default 1;
comment on column corral.command_assets.revision is 'Counts changes: a playbook remembers the one that it was compiled with.';

alter table corral.playbooks
    add column title      text,
    add column timeout_s  double precision check (timeout_s > 0),
    add column defaults   jsonb not null default '{}' check (jsonb_typeof(defaults) = 'object');

alter table corral.playbook_steps
    alter column timeout_s type double precision,
    alter column on_failure drop not null,
    alter column on_failure drop default,
    add column step_id           text,
    add column retries           integer check (retries >= 0),
    add column command_revision  integer not null default 1;
comment on column corral.playbook_steps.step_id is 'The step''s id in the recipe, where it is not made from the command''s name.';
create index playbook_steps_by_command on corral.playbook_steps (command_id);
