-- The columns were added two files ago, so few rows have a value or none.
create index concurrently if not exists api_tokens_readable_by_idx on api_tokens (readable_by) where readable_by is not null;
alter table api_tokens validate constraint api_tokens_readable_check;
alter table api_tokens validate constraint api_tokens_readable_by_fkey;
