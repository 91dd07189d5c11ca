-- The reason that a caller gave for a change, on each of its events. It is null without a reason. A column without a default is
-- added in an instant. The version before neither reads nor writes it. While servers of both versions run, the version before
-- can index a chunk of events without their comments; `npm run event-index` rebuilds the index of such a chunk.
alter table events add column comment text;

-- The text that free-text search reads, with the comment in the form of JSON. Stable, as to_json is: no index uses it. The version
-- before uses the function without the comment.
create function event_text(data jsonb, pre_data jsonb, tags jsonb, comment text) returns text
  language sql stable parallel safe
  return coalesce(data::text, '') || e'\n' || coalesce(pre_data::text, '') || e'\n' || tags::text
    || coalesce(e'\n' || to_json(comment)::text, '');
