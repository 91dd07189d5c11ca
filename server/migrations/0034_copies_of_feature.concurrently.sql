-- The copies of a feature: the page of a flag lists them, so the list must not read all features.
-- Adds an index only: the running version is not affected.
create index concurrently if not exists features_cloned_from_idx on features (cloned_from) where cloned_from is not null;
