-- An integration can be filtered as the event search is. `filter` has the parameters as the user wrote them; the other columns have
-- their values, so that the statement that inserts events can compare them. Null does not filter. A server of the previous version
-- does not know the columns: until all servers are updated, changes that it makes are delivered without this filter.
alter table integrations
  add column filter jsonb,
  add column filter_features text[],
  add column filter_projects text[],
  add column filter_types text[],
  add column filter_creators integer[],
  add column filter_environments text[],
  add column filter_texts text[];
