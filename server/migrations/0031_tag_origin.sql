-- The project in which a tag first appeared, null for a tag that was created on its own. A tag that no feature has is shown
-- to whoever may read that project. No foreign key: a deleted private project must not make its tags visible.
-- Adds a column that may be null: the previous version keeps working.
alter table tags add column project text;
