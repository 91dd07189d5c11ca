-- When and why the number was changed last. Null if the previous version changed it.
alter table sdk_epoch add column reason text, add column started_at timestamptz;

-- Names the history that revisions and event ids count in. After a promoted standby, a restored dump or a storage snapshot that was
-- put back, the same numbers mean other content. A snapshot differs from the database it was taken of only by the time at which
-- PostgreSQL was started, so every restart begins an epoch. pg_restore creates the primary key after the rows of its table.
-- docs/decisions/0025-database-epoch.md.
create view database_epoch as
select left(md5(concat_ws('.', system_identifier, timeline, database, extract(epoch from postmaster_started_at),
    coalesce(files, 0), number)), 10) as id, *
from (
  select system_identifier::text as system_identifier, left(pg_walfile_name(pg_current_wal_lsn()), 8) as timeline,
    pg_database.oid::bigint as database, pg_postmaster_start_time() as postmaster_started_at,
    -- By name at run time: a reference would keep pg_restore from dropping the table.
    pg_relation_filenode(to_regclass('sdk_revisions_pkey'))::bigint as files, number, reason
  from pg_control_system(), sdk_epoch, pg_database where datname = current_database()
) as facts;
