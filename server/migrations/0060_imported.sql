-- What was imported from another product, so that an import can be repeated: it compares the state as it was imported with the
-- state here and there. `problems` are the rules that an accepted item violates. The version before does not use the table.
create table imported (
  kind text not null,
  key text collate "C" not null,
  digest text not null,
  problems text[] not null default '{}',
  imported_at timestamptz not null default now(),
  constraint imported_pkey primary key (kind, key)
);
