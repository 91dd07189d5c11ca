-- Where an accepted item violates rules, so that the health of its project names it until somebody changes it there. An empty name means
-- the item itself. The version before does not read the column.
alter table imported add column environments text[] not null default '{}';
