-- The last picture of each device that somebody watches or just did, or why there is none, and how old that is.
create or replace view corral.device_picture_states as
select p.device_id, p.stored_at, extract(epoch from corral.fn_now() - p.stored_at)::double precision as age_s, p.content_type, p.content,
       p.error_message
  from corral.device_pictures p;
