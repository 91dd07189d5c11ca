import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { findUnsafeStatements } from '../../test/migration-rules.ts';
import { MIGRATIONS } from './migration-files.ts';

const files = readdirSync(MIGRATIONS).map(name => ({
  name,
  text: readFileSync(new URL(name, MIGRATIONS), 'utf8'),
}));

test('no migration keeps requests waiting while it is applied', () => {
  expect(findUnsafeStatements(files)).toEqual([]);
});

test("the migration campaign's example migrations follow the rules", () => {
  const folder = new URL('../../../../bench/migration/probe/', import.meta.url);
  const probe = readdirSync(folder).map(name => ({
    name,
    text: readFileSync(new URL(name, folder), 'utf8'),
  }));

  expect(probe).toHaveLength(3);
  expect(findUnsafeStatements([...files, ...probe])).toEqual([]);
});

const findViolations = (text: string, name = '9001_planted.sql') =>
  findUnsafeStatements([...files, { name, text }]);

test.each([
  ['an index on a table that has rows', 'create index i on features (stale)'],
  ['a unique index on events', 'create unique index i on only events (id)'],
  [
    'an index built concurrently in a transaction',
    'create index concurrently if not exists i on features (stale)',
  ],
  [
    'a constraint that is checked immediately',
    'alter table features add constraint c check (name <> project)',
  ],
  [
    'a foreign key that is checked immediately',
    'alter table features add foreign key (type) references feature_types',
  ],
  ['a second addition that is checked immediately', 'alter table features add x text, add check (x is null)'],
  ['not null on a column that was not checked', 'alter table features alter column description set not null'],
  ['a different type', 'alter table features alter description type varchar(10)'],
  [
    'a different type, written in full',
    'alter table only public.features alter column description set data type text',
  ],
  ['a renamed column', 'alter table features rename column description to about'],
  ['a column with a volatile default', 'alter table features add column x uuid default gen_random_uuid()'],
  ['a generated column', 'alter table features add column x text generated always as (name) stored'],
  ['a column with a reference', 'alter table features add column x text references projects'],
  ['a not null column without a default', 'alter table features add column x text not null'],
  ['a constraint validation', 'alter table features validate constraint c'],
  ['an update of rows', "update features set description = ''"],
  ['an explicit lock', 'lock table events'],
  [
    'locks on three tables',
    'alter table features add x text; alter table events add x text; alter table projects add x text',
  ],
])('rejects %s', (_case, text) => {
  expect(findViolations(text)).toHaveLength(1);
});

test.each([
  [
    'a new table with an index, rows and a reference',
    "create table x (f text references features); create index i on x (f); insert into x values ('a')",
  ],
  ['a column with a constant default', "alter table features add column x text not null default 'a (b)'"],
  [
    'a column whose default is the time of the migration',
    'alter table features add x timestamptz not null default now()',
  ],
  [
    'a constraint that is not valid yet',
    'alter table features add constraint c check (name <> project) not valid',
  ],
  ['a constraint from an index', 'alter table features add constraint c unique using index i'],
  ['a dropped column', 'alter table features drop column description'],
  [
    'a function that changes rows',
    'create function f() returns void as $$ begin update features set stale = true; end $$ language plpgsql',
  ],
])('allows %s', (_case, text) => {
  expect(findViolations(text)).toEqual([]);
});

const CONCURRENTLY = '9001_planted.concurrently.sql';

test.each([
  ['an index that cannot be created twice', 'create index concurrently i on features (stale)'],
  ['an index that is not built concurrently', 'create index if not exists i on features (stale)'],
  ['a column', 'alter table features add column x text'],
  [
    'an update of all rows in one statement',
    "update features set description = '' where description is null",
  ],
])('rejects %s outside a transaction', (_case, text) => {
  expect(findViolations(text, CONCURRENTLY)).toHaveLength(1);
});

test('allows set not null on a column whose not null check has been validated', () => {
  const plantedFiles = [
    [
      '9001_a.sql',
      'alter table features add constraint features_type_not_null check (type is not null) not valid',
    ],
    ['9002_b.concurrently.sql', 'alter table features validate constraint features_type_not_null'],
    [
      '9003_c.sql',
      'alter table features alter column type set not null, drop constraint features_type_not_null',
    ],
  ].map(([name = '', text = '']) => ({ name, text }));

  expect(findUnsafeStatements([...files, ...plantedFiles])).toEqual([]);
});

test('rejects a file with a wrong name or a taken number', () => {
  expect(findViolations('select 1', '0001_again.sql')).toEqual(['0001_again.sql: its number is taken']);
  expect(findViolations('select 1', '9001-planted.sql')).toHaveLength(1);
});
