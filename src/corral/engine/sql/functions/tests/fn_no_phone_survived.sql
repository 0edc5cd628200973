-- What is said of a test that was lost with every phone that tried it. Inlined, hence no search_path of its own.
create or replace function corral.fn_no_phone_survived(p_losses integer) returns text
language sql immutable parallel safe
as $$
    select format('no phone survived it: %s were lost while they had it', p_losses)
$$;
