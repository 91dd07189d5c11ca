-- Deleting a group deletes what it owns. In a file of its own, because 0052 already locks two tables. An earlier text of 0052 created the
-- constraint. The version before knows neither.
alter table feature_owners drop constraint if exists feature_owners_group_id_fkey;
alter table feature_owners add constraint feature_owners_group_id_fkey
  foreign key (group_id) references groups on delete cascade not valid;
