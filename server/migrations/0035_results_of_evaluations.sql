-- The last day of each result of a feature in an environment. The health of a project finds flags with a constant result by one row
-- per flag and environment, however many days of counts are stored. The previous version inserts rows without these columns.
alter table feature_last_seen
  add column first_seen_on date not null default current_date,
  add column enabled_on date,
  add column disabled_on date,
  add column variant text,
  add column variant_changed_on date;
