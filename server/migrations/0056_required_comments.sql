-- Whether a change of the project's flags needs a comment. The version before ignores the column, so during an update it still
-- accepts changes without one.
alter table projects add column require_comment boolean not null default false;
