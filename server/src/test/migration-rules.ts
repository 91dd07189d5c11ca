import { splitStatements } from '../platform/db/sql-statements.ts';

export type NamedFile = { name: string; text: string };

/** Files up to this number are the first schema: no earlier version runs while they are applied. */
const LAST_OF_FIRST_SCHEMA = '0009';
/** A migration waits up to 100 ms for each lock and meanwhile holds the locks it has; a stall stays below 200 ms. */
const MAX_LOCKED_TABLES = 2;

const FILE_NAME = /^(\d{4})_[a-z0-9_]+(\.concurrently)?\.sql$/;

/** Lists the statements that would make requests wait or fail during a migration. */
export function findUnsafe(files: NamedFile[]): string[] {
  const tables = new Set<string>();
  const validated = new Set<string>();
  const found = misnamed(files);
  for (const file of files.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
    const statements = splitStatements(file.text);
    const concurrent = file.name.endsWith('.concurrently.sql');
    const state = { tables, validated, locked: new Set<string>(), made: new Set<string>() };
    if (file.name.slice(0, 4) > LAST_OF_FIRST_SCHEMA) {
      for (const { bare, line } of statements) {
        const problem = concurrent ? unsafeConcurrently(bare) : unsafeInTransaction(bare, state);
        if (problem) found.push(`${file.name}:${line}: ${problem}`);
      }
      if (state.locked.size > MAX_LOCKED_TABLES) {
        found.push(
          `${file.name}: locks ${[...state.locked].join(', ')}; split it, ${MAX_LOCKED_TABLES} tables per file`,
        );
      }
    }
    for (const { bare } of statements) {
      const table = CREATE_TABLE.exec(bare)?.[1];
      if (table) tables.add(table);
      const constraint = /validate constraint (\w+)/.exec(bare)?.[1];
      if (constraint) validated.add(constraint);
    }
  }
  return found;
}

function misnamed(files: NamedFile[]): string[] {
  const numbers = files.map(({ name }) => FILE_NAME.exec(name)?.[1] ?? name);
  return files.flatMap(({ name }, n) => [
    ...(FILE_NAME.test(name) ? [] : [`${name}: is not named 0000_what_it_does.sql`]),
    ...(numbers.indexOf(numbers[n] ?? '') === n ? [] : [`${name}: its number is taken`]),
  ]);
}

const CREATE_TABLE = /^create (?:unlogged )?table (?:if not exists )?(?:public\.)?(\w+)/;
const ON_TABLE = /^(?:alter table|lock table|drop table)(?: if exists)?(?: only)? (?:public\.)?(\w+)/;
const TRIGGER_TABLE = /^(?:create (?:or replace )?|drop )(?:constraint )?trigger .*? on (?:public\.)?(\w+)/;
const INDEX_TABLE = /^create (?:unique )?index .*?\bon (?:only )?(?:public\.)?(\w+)/;
const REFERENCES = /\breferences (?:public\.)?(\w+)/g;

const CONCURRENT = [
  /^create (unique )?index concurrently if not exists \w+ on \w+ /,
  /^drop index concurrently if exists \w+$/,
  /^alter table \w+ validate constraint \w+$/,
  /^(update|delete from) .* limit \d+/,
  /^analyze \w+$/,
];

function unsafeConcurrently(bare: string): string | undefined {
  if (CONCURRENT.some(pattern => pattern.test(bare))) return undefined;
  return (
    'may only create or drop an index concurrently with "if [not] exists", validate a constraint, update or delete ' +
    'with a limit, or analyze: the file has no transaction and must be able to run again'
  );
}

type State = { tables: Set<string>; validated: Set<string>; locked: Set<string>; made: Set<string> };

function unsafeInTransaction(bare: string, { tables, validated, locked, made }: State): string | undefined {
  const created = CREATE_TABLE.exec(bare)?.[1];
  if (created) made.add(created);
  const isOld = (table: string | undefined): table is string =>
    table !== undefined && tables.has(table) && !made.has(table);

  const target = (ON_TABLE.exec(bare) ?? TRIGGER_TABLE.exec(bare))?.[1];
  if (isOld(target)) locked.add(target);
  for (const [, table] of bare.matchAll(REFERENCES)) if (isOld(table)) locked.add(table);

  if (/^(create|drop) (unique )?index concurrently|^reindex/.test(bare)) {
    return 'belongs in a file named .concurrently.sql';
  }
  if (isOld(INDEX_TABLE.exec(bare)?.[1])) return 'locks writers out: create index concurrently if not exists';
  if (/^(update|delete from|truncate)\b/.test(bare)) {
    return 'changes rows under the locks of the file: use a .concurrently.sql file, with a limit';
  }
  if (/^(lock table|cluster|vacuum|refresh materialized)/.test(bare)) return 'locks a table for long';
  if (!isOld(target) || !bare.startsWith('alter table')) return undefined;
  return unsafeAlter(bare, target, validated);
}

function unsafeAlter(bare: string, table: string, validated: Set<string>): string | undefined {
  if (/\brename\b/.test(bare)) return 'breaks the running version: add, copy, and remove in a later release';
  if (/\balter (column )?(?!column\b)\w+ (set data )?type\b/.test(bare))
    return 'rewrites the table: add a column instead';
  if (/\bset (logged|unlogged|tablespace|access method)\b|\b(attach|detach) partition\b/.test(bare)) {
    return 'locks a table for long';
  }
  if (/\bvalidate constraint\b/.test(bare)) return 'reads the whole table: use a .concurrently.sql file';
  for (const [, column] of bare.matchAll(/\balter (?:column )?(\w+) set not null\b/g)) {
    if (!validated.has(`${table}_${column}_not_null`)) {
      return `reads the whole table: first validate a constraint ${table}_${column}_not_null check (${column} is not null)`;
    }
  }
  for (const [, added = ''] of bare.matchAll(/\badd (.*?)(?=, (?:add|alter|drop|validate) |$)/g)) {
    const problem = unsafeAddition(added);
    if (problem) return problem;
  }
  return undefined;
}

function unsafeAddition(added: string): string | undefined {
  if (/^(constraint|check|foreign key|unique|primary key|exclude)\b/.test(added)) {
    return /\bnot valid$|\busing index \w+$/.test(added)
      ? undefined
      : 'reads the whole table: add it "not valid" and validate it in a .concurrently.sql file';
  }
  if (/\b(references|unique|primary key|check|constraint)\b/.test(added)) {
    return 'reads the whole table: add the column, then the constraint "not valid"';
  }
  if (/\bgenerated\b/.test(added)) return 'rewrites the table: fill the column in batches instead';
  const initial = /\bdefault (.*)/.exec(added)?.[1];
  if (initial !== undefined && /\w\(/.test(initial.replace('now()', ''))) {
    return 'may rewrite the table: only a constant or now() is a cheap default';
  }
  if (initial === undefined && /\bnot null\b/.test(added)) return 'fails on existing rows: give it a default';
  return undefined;
}
