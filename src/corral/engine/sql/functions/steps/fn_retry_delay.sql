-- How long a step waits before it is tried again: its backoff, times the factor for every further try, up to the maximum, and by its
-- jitter (a share of the wait) shorter or longer at random, so that steps that failed together do not come back together.
-- Called by fn_conclude_steps. p_tries counts the tries so far, from 1.
create or replace function corral.fn_retry_delay(
    p_backoff interval, p_factor double precision, p_max interval, p_jitter double precision, p_tries integer)
returns interval
language sql volatile
as $$
    select least(p_backoff * power(p_factor, least(p_tries - 1, 20)), p_max) * (1 + p_jitter * (2 * random() - 1))
$$;
