-- PostgreSQL takes the validated constraint as proof and does not read the table.
alter table features alter column probe set not null, drop constraint features_probe_not_null;
