-- A column with a constant default costs no rewrite. The constraint is not checked against existing rows yet.
alter table features
  add column probe text default 'a',
  add constraint features_probe_not_null check (probe is not null) not valid;
