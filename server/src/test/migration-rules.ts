import { splitStatements } from '../platform/db/sql-statements.ts';

export type NamedFile = { name: string; text: string };

/** The files up to this number create the initial schema, so no earlier version runs while they are applied. */
const LAST_INITIAL_MIGRATION = '0009';
/** A migration waits up to 100 ms for each lock and, while it waits, holds the locks it has, so a stall stays below 200 ms. */
const MAX_LOCKED_TABLES = 2;

const FILE_NAME = /^(\d{4})_[a-z0-9_]+(\.concurrently)?\.sql$/;

/** Lists the statements that would make requests wait or fail during a migration. */
export function findUnsafeStatements(files: NamedFile[]): string[] {
  const tables = new Set<string>();
  const validatedConstraints = new Set<string>();
  const problems = findMisnamed(files);
  for (const file of files.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
    const statements = splitStatements(file.text);
    const isConcurrent = file.name.endsWith('.concurrently.sql');
    const state = {
      tables,
      validatedConstraints,
      lockedTables: new Set<string>(),
      newTables: new Set<string>(),
    };
    if (file.name.slice(0, 4) > LAST_INITIAL_MIGRATION) {
      for (const { bareText, line } of statements) {
        const problem = isConcurrent
          ? findConcurrentProblem(bareText)
          : findTransactionProblem(bareText, state);
        if (problem) problems.push(`${file.name}:${line}: ${problem}`);
      }
      if (state.lockedTables.size > MAX_LOCKED_TABLES) {
        problems.push(
          `${file.name}: locks ${[...state.lockedTables].join(', ')}; split it, at most ${MAX_LOCKED_TABLES} tables per file`,
        );
      }
    }
    for (const { bareText } of statements) {
      const table = CREATE_TABLE.exec(bareText)?.[1];
      if (table) tables.add(table);
      const constraint = /validate constraint (\w+)/.exec(bareText)?.[1];
      if (constraint) validatedConstraints.add(constraint);
    }
  }
  return problems;
}

function findMisnamed(files: NamedFile[]): string[] {
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

const CONCURRENT_STATEMENTS = [
  /^create (unique )?index concurrently if not exists \w+ on \w+ /,
  /^drop index concurrently if exists \w+$/,
  /^alter table \w+ validate constraint \w+$/,
  /^(update|delete from) .* limit \d+/,
  /^analyze \w+$/,
];

function findConcurrentProblem(bareText: string): string | undefined {
  if (CONCURRENT_STATEMENTS.some(pattern => pattern.test(bareText))) return undefined;
  return (
    'may only create or drop an index concurrently with "if [not] exists", validate a constraint, update or delete ' +
    'with a limit, or analyze: the file has no transaction and must be able to run again'
  );
}

type State = {
  tables: Set<string>;
  validatedConstraints: Set<string>;
  lockedTables: Set<string>;
  newTables: Set<string>;
};

function findTransactionProblem(
  bareText: string,
  { tables, validatedConstraints, lockedTables, newTables }: State,
): string | undefined {
  const createdTable = CREATE_TABLE.exec(bareText)?.[1];
  if (createdTable) newTables.add(createdTable);
  const isOld = (table: string | undefined): table is string =>
    table !== undefined && tables.has(table) && !newTables.has(table);

  const target = (ON_TABLE.exec(bareText) ?? TRIGGER_TABLE.exec(bareText))?.[1];
  if (isOld(target)) lockedTables.add(target);
  for (const [, table] of bareText.matchAll(REFERENCES)) if (isOld(table)) lockedTables.add(table);

  if (/^(create|drop) (unique )?index concurrently|^reindex/.test(bareText)) {
    return 'belongs in a file named .concurrently.sql';
  }
  if (isOld(INDEX_TABLE.exec(bareText)?.[1]))
    return 'blocks writers: use "create index concurrently if not exists"';
  if (/^(update|delete from|truncate)\b/.test(bareText)) {
    return 'changes rows while the file holds its locks: use a .concurrently.sql file, with a limit';
  }
  if (/^(lock table|cluster|vacuum|refresh materialized)/.test(bareText))
    return 'locks a table for a long time';
  if (!isOld(target) || !bareText.startsWith('alter table')) return undefined;
  return findAlterProblem(bareText, target, validatedConstraints);
}

function findAlterProblem(
  bareText: string,
  table: string,
  validatedConstraints: Set<string>,
): string | undefined {
  if (/\brename\b/.test(bareText))
    return 'breaks the running version: add, copy, and remove in a later release';
  if (/\balter (column )?(?!column\b)\w+ (set data )?type\b/.test(bareText))
    return 'rewrites the table: add a column instead';
  if (/\bset (logged|unlogged|tablespace|access method)\b|\b(attach|detach) partition\b/.test(bareText)) {
    return 'locks a table for a long time';
  }
  if (/\bvalidate constraint\b/.test(bareText)) return 'reads the whole table: use a .concurrently.sql file';
  for (const [, column] of bareText.matchAll(/\balter (?:column )?(\w+) set not null\b/g)) {
    if (!validatedConstraints.has(`${table}_${column}_not_null`)) {
      return `reads the whole table: first validate a constraint ${table}_${column}_not_null check (${column} is not null)`;
    }
  }
  for (const [, addition = ''] of bareText.matchAll(/\badd (.*?)(?=, (?:add|alter|drop|validate) |$)/g)) {
    const problem = findAdditionProblem(addition);
    if (problem) return problem;
  }
  return undefined;
}

function findAdditionProblem(addition: string): string | undefined {
  if (/^(constraint|check|foreign key|unique|primary key|exclude)\b/.test(addition)) {
    return /\bnot valid$|\busing index \w+$/.test(addition)
      ? undefined
      : 'reads the whole table: add it "not valid" and validate it in a .concurrently.sql file';
  }
  if (/\b(references|unique|primary key|check|constraint)\b/.test(addition)) {
    return 'reads the whole table: add the column, then the constraint "not valid"';
  }
  if (/\bgenerated\b/.test(addition)) return 'rewrites the table: fill the column in batches instead';
  const defaultValue = /\bdefault (.*)/.exec(addition)?.[1];
  if (defaultValue !== undefined && /\w\(/.test(defaultValue.replace('now()', ''))) {
    return 'may rewrite the table: only a constant or now() is a cheap default';
  }
  if (defaultValue === undefined && /\bnot null\b/.test(addition))
    return 'fails on existing rows: give it a default';
  return undefined;
}
