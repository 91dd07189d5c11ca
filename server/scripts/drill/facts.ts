import type pg from 'pg';

export type LastEvent = { id: string; type: string; createdAt: string };

/** Facts that a restored database must share with its source. */
export type Facts = {
  /** Row counts by table. A partitioned table is one table. */
  rows: Map<string, number>;
  lastEvent: LastEvent | undefined;
  /** Checksums of the applied migrations by name. */
  migrations: Map<string, string>;
};

/** Reads the facts in the client's open transaction. */
export async function readFacts(client: pg.Client): Promise<Facts> {
  const rows = new Map<string, number>();
  for (const table of await listTables(client)) {
    const { rows: countRows } = await client.query<{ count: string }>(`select count(*) from ${table}`);
    rows.set(table, Number(countRows[0]?.count));
  }
  const migrations = await client.query<{ name: string; checksum: string }>(
    'select name, checksum from migration_checksums order by name',
  );
  return {
    rows,
    lastEvent: await findLastEvent(client),
    migrations: new Map(migrations.rows.map(({ name, checksum }) => [name, checksum])),
  };
}

async function listTables(client: pg.Client): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>(
    `select format('%I.%I', nspname, relname) as name
     from pg_class join pg_namespace on pg_namespace.oid = relnamespace
     where relkind in ('r', 'p') and not relispartition and nspname in ('public', 'pgboss')
     order by name`,
  );
  return rows.map(({ name }) => name);
}

async function findLastEvent(client: pg.Client): Promise<LastEvent | undefined> {
  const { rows } = await client.query<LastEvent>(
    `select id::text, type, to_char(created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as "createdAt"
     from events order by events.id desc limit 1`,
  );
  return rows[0];
}

/** Returns one sentence for each difference. */
export function compareFacts(source: Facts, restored: Facts): string[] {
  return [
    ...compareRows(source.rows, restored.rows),
    ...compareLastEvents(source.lastEvent, restored.lastEvent),
    ...compareMigrations(source.migrations, restored.migrations),
  ];
}

function compareRows(source: Map<string, number>, restored: Map<string, number>): string[] {
  return [...new Set([...source.keys(), ...restored.keys()])].toSorted().flatMap(table => {
    const [sourceRows, restoredRows] = [source.get(table), restored.get(table)];
    if (sourceRows === restoredRows) return [];
    if (restoredRows === undefined) return [`Table ${table} was not restored.`];
    if (sourceRows === undefined) return [`Table ${table} exists only in the restored database.`];
    return [`Table ${table} has ${restoredRows} rows instead of ${sourceRows}.`];
  });
}

function compareLastEvents(source: LastEvent | undefined, restored: LastEvent | undefined): string[] {
  const describe = (event: LastEvent | undefined) =>
    event === undefined ? 'none' : `${event.id} (${event.type}, ${event.createdAt})`;
  if (describe(source) === describe(restored)) return [];
  return [`The last event is ${describe(restored)} instead of ${describe(source)}.`];
}

/** A dump from an older version may lack the latest migrations. All others must be the same. */
export function compareMigrations(source: Map<string, string>, restored: Map<string, string>): string[] {
  return [...restored].flatMap(([name, checksum]) => {
    const expected = source.get(name);
    if (expected === checksum) return [];
    return [
      expected === undefined
        ? `Migration ${name} was applied to the restored database only.`
        : `Migration ${name} has the checksum ${checksum} instead of ${expected}.`,
    ];
  });
}

/** Events are never changed or deleted, so an older dump must have all of the source's events up to the last one in the dump. */
export async function compareEvents(source: pg.Client, restored: Facts): Promise<string[]> {
  const { lastEvent, rows } = restored;
  const { rows: countRows } = await source.query<{ count: string }>(
    'select count(*) from events where id <= coalesce($1::bigint, id)',
    [lastEvent?.id ?? null],
  );
  const [sourceEvents, restoredEvents] = [Number(countRows[0]?.count), rows.get('public.events')];
  if (sourceEvents === restoredEvents) return [];
  const range = lastEvent === undefined ? '' : ` up to event ${lastEvent.id}`;
  return [`The dump has ${restoredEvents} events${range}. The source has ${sourceEvents}.`];
}
