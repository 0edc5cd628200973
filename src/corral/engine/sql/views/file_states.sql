-- Input files: every name with every content that it had; the newest is what the name means.
create or replace view corral.file_states as
select n.file_no, n.name, f.sha256, f.size_bytes, f.content_type, n.created_by, n.created_at,
       not exists (select 1 from corral.file_names o where o.name = n.name and o.file_no > n.file_no) as is_newest
  from corral.file_names n
  join corral.files f on f.sha256 = n.sha256;
