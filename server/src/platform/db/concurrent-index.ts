import pg from 'pg';

/** Runs a statement that may wait for locks. The caller decides how long it waits and how often it is retried. */
export type RunStatement = (statement: string) => Promise<void>;
export type Runners = {
  client: pg.Client;
  /** Runs a statement that blocks nobody while it waits. */
  withLongWait: RunStatement;
  /** Runs a statement that blocks others while it waits for a lock, so it has a short timeout and retries. */
  withShortWait: RunStatement;
};

type Definition = { unique: string; index: string; table: string; rest: string };

const CREATE_INDEX =
  /^create\s+(?<unique>unique\s+)?index\s+concurrently\s+if\s+not\s+exists\s+(?<index>[a-z_]\w*)\s+on\s+(?<table>[a-z_]\w*)\s+(?<rest>[\s\S]+)$/i;

/** Returns the parts of `create index concurrently if not exists`, or undefined for any other statement. */
export function parseCreateIndex(statement: string): Definition | undefined {
  const groups = CREATE_INDEX.exec(statement)?.groups;
  if (!groups) return undefined;
  const { unique = '', index = '', table = '', rest = '' } = groups;
  return { unique, index, table, rest };
}

/**
 * Builds an index without blocking writers, even on a partitioned table, where `create index concurrently` is not supported. After
 * any interruption, the function can simply be called again.
 */
export async function createIndex(runners: Runners, definition: Definition): Promise<void> {
  const { table } = definition;
  const kind = await readRelationKind(runners.client, table);
  if (kind === 'p') await createPartitionedIndex(runners, definition);
  else await createPlainIndex(runners, definition);
}

async function createPlainIndex(runners: Runners, { unique, index, table, rest }: Definition): Promise<void> {
  if ((await readIndexState(runners.client, index)) === 'invalid')
    await runners.withLongWait(`drop index concurrently if exists ${pg.escapeIdentifier(index)}`);
  await runners.withLongWait(
    `create ${unique}index concurrently if not exists ${pg.escapeIdentifier(index)} on ${pg.escapeIdentifier(table)} ${rest}`,
  );
}

/**
 * Creates the index on the parent alone first. That index is empty, but every partition that is attached from then on gets a matching
 * index. The parent's index becomes valid when the last partition's index is attached to it.
 */
async function createPartitionedIndex(runners: Runners, definition: Definition): Promise<void> {
  const { unique, index, table, rest } = definition;
  await runners.withShortWait(
    `create ${unique}index if not exists ${pg.escapeIdentifier(index)} on only ${pg.escapeIdentifier(table)} ${rest}`,
  );
  for (let partition = await findUnindexedPartition(runners.client, definition); partition !== undefined; ) {
    const partitionIndex = getPartitionIndex(definition, partition);
    await createPlainIndex(runners, { ...definition, index: partitionIndex, table: partition });
    await runners.withShortWait(
      `alter index ${pg.escapeIdentifier(index)} attach partition ${pg.escapeIdentifier(partitionIndex)}`,
    );
    partition = await findUnindexedPartition(runners.client, definition);
  }
  if ((await readIndexState(runners.client, index)) !== 'valid') {
    throw new Error(
      `Index ${index} exists but does not match the partitions of ${table}. Drop it and run again.`,
    );
  }
}

/** Returns a partition of the table that has no matching index yet. */
async function findUnindexedPartition(
  client: pg.Client,
  { index, table }: Definition,
): Promise<string | undefined> {
  const { rows } = await client.query<{ name: string }>(
    `select part.relname as name
     from pg_inherits join pg_class part on part.oid = inhrelid
     where inhparent = to_regclass($1) and not exists (
       select from pg_inherits of_index join pg_index on indexrelid = of_index.inhrelid
       where of_index.inhparent = to_regclass($2) and indrelid = part.oid
     )
     order by part.oid limit 1`,
    [table, index],
  );
  return rows[0]?.name;
}

/** Names the index of a partition. For events_p0, events_creator_idx becomes events_p0_creator_idx. */
function getPartitionIndex({ index, table }: Definition, partition: string): string {
  const name = index.startsWith(`${table}_`)
    ? partition + index.slice(table.length)
    : `${partition}_${index}`;
  if (Buffer.byteLength(name) > 63)
    throw new Error(`Index name ${name} is longer than 63 bytes. Choose a shorter one.`);
  return name;
}

async function readRelationKind(client: pg.Client, table: string): Promise<string | undefined> {
  const { rows } = await client.query<{ kind: string }>(
    'select relkind as kind from pg_class where oid = to_regclass($1)',
    [table],
  );
  return rows[0]?.kind;
}

async function readIndexState(client: pg.Client, index: string): Promise<'valid' | 'invalid' | undefined> {
  const { rows } = await client.query<{ valid: boolean }>(
    'select indisvalid as valid from pg_index where indexrelid = to_regclass($1)',
    [index],
  );
  return rows[0] && (rows[0].valid ? 'valid' : 'invalid');
}
