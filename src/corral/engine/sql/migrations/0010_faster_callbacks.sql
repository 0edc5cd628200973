-- What a callback needs to know of its jobs is read once, under their locks.

alter type corral.judged_event
    add attribute job_status text,
    add attribute is_started boolean;
comment on type corral.judged_event is 'A node''s event as it was judged; job_status and is_started are its job''s at that moment.';
