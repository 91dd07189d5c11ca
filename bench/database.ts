import pg from 'pg';

/** Makes the database and has it filled, unless an earlier run has left one with the same mark. */
export async function keepDatabase(
  url: URL,
  mark: string,
  fresh: boolean,
  fill: () => Promise<void>,
): Promise<void> {
  const name = url.pathname.slice(1);
  const server = new URL(url);
  server.pathname = '/postgres';
  await withClient(server, async client => {
    if (!fresh && (await commentOn(client, name)) === mark) return;
    await client.query(`drop database if exists ${name} with (force)`);
    await client.query(`create database ${name}`);
    await fill();
    await client.query(`comment on database ${name} is '${mark}'`);
  });
}

async function commentOn(client: pg.Client, database: string): Promise<string | undefined> {
  const { rows } = await client.query<{ comment: string }>(
    `select shobj_description(oid, 'pg_database') as comment from pg_database where datname = $1`,
    [database],
  );
  return rows[0]?.comment;
}

export async function withClient<T>(url: URL, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url.href });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}
