-- Whether the admin API rejects writes. One row, which every server reads before each write. The previous version neither reads nor
-- writes it, so its servers accept writes until they are upgraded.
create table maintenance_settings (
  only_row boolean not null default true,
  enabled boolean not null default false,
  constraint maintenance_settings_pkey primary key (only_row),
  constraint maintenance_settings_only_row_check check (only_row)
);
insert into maintenance_settings default values;
