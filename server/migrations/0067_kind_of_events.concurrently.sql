create index concurrently if not exists events_created_by_kind_idx on events (created_by_kind, id);
