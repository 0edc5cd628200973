-- Add steps to a distributed job (see fn_add_steps), and let its run's version grow. Locks what fn_add_steps locks, then the run's stripe.
-- Raises CR001 not_found, CR002 invalid_request with the path, CR003 conflict. Returns how many were made.
create or replace function corral.fn_create_steps(p_job_id uuid, p_steps jsonb) returns integer
language plpgsql volatile
set search_path = corral, pg_catalog
as $$
declare
    v_made  integer := fn_add_steps(p_job_id, p_steps);
begin
    if v_made > 0 then
        perform fn_conclude_jobs('{}', fn_list_job_news(array[p_job_id]));
    end if;
    return v_made;
end $$;
