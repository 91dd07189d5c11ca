-- The table was created two files ago, so it has few rows or none.
alter table feature_owners validate constraint feature_owners_group_id_fkey;
