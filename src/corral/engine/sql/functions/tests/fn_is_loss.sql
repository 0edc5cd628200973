-- Whether a phone whose lease ended so was lost while it executed tests: not when its node gave the job back or it was taken from it
-- in order. Inlined, hence no search_path of its own.
create or replace function corral.fn_is_loss(p_ending text) returns boolean
language sql immutable parallel safe
as $$
    select p_ending not in ('interrupted', 'lost_grant', 'released')
$$;
