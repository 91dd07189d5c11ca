-- A deactivated user keeps roles and memberships but cannot act. The version before ignores the column, so during an update it still
-- lets a deactivated user log in with a password; their session ends when the last server of that version stops.
alter table users add column deactivated_at timestamptz;
