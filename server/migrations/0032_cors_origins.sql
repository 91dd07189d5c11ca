-- The origins whose pages may call the API for frontend SDKs. One row, by default with every origin. The previous version neither
-- reads nor writes it.
create table cors_settings (
  only_row boolean not null default true,
  origins text[] not null default '{*}',
  constraint cors_settings_pkey primary key (only_row),
  constraint cors_settings_only_row_check check (only_row)
);
insert into cors_settings default values;
