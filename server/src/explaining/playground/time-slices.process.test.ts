import { randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { openDb } from '../../platform/db/database.ts';
import { copyDatabase, discardDatabase, getDatabaseUrl } from '../../test/database.ts';
import { type RunningServer, startProcess, stopProcess } from '../../test/process.ts';
import { putDocuments, type SdkDocument } from '../../test/sdk-documents.ts';

/** Whether the test measures how long the event loop is blocked. That needs an otherwise idle machine (`npm run campaign:largest`). */
const IS_MEASURED = process.env.LARGEST === 'all';
const MAX_BLOCKED_MS = 100;
const TOKEN = '*:*.an-operator-chose-this-secret-0123456789';
const name = `halyard_slices_${randomBytes(4).toString('hex')}`;
const probePort = 19_000 + (process.pid % 1_000);
const PROBE = new URL('../../test/loop-probe.ts', import.meta.url).pathname;

let server: RunningServer;

/** Creates features with as many strategies and constraints as a feature can have. */
const makeLargeFeatures = (prefix: string, count: number, constraints: object[]): SdkDocument[] =>
  Array.from({ length: count }, (_, index) => ({
    name: `${prefix}${index}`,
    enabled: true,
    variants: [],
    strategies: Array.from({ length: 30 }, () => ({
      name: 'flexibleRollout',
      parameters: { rollout: '50', stickiness: 'userId', groupId: `${prefix}${index}` },
      constraints,
      segments: [],
      variants: [],
    })),
  }));

const listConstraint = (count: number) => ({
  contextName: 'userId',
  operator: 'IN',
  values: Array.from({ length: count }, (_, index) => `value-${index}`),
});
/** Patterns that are slow to compile and match. */
const patterns = Array.from({ length: 30 }, (_, index) => ({
  contextName: 'userId',
  operator: 'REGEX',
  value: `(?:(?:a|ab)(?:c|bcd)(?:d*)){200}z${index}`,
}));

beforeAll(async () => {
  await copyDatabase(inject('template'), name);
  const db = openDb({ url: getDatabaseUrl(name), poolSize: 1, onError: () => {} });
  const listConstraints = Array.from({ length: 30 }, () => listConstraint(250));
  const features = [
    ...makeLargeFeatures('lists-', 10, listConstraints),
    ...makeLargeFeatures('patterns-', 5, patterns),
    ...makeLargeFeatures('small-', 100, [listConstraint(2)]),
  ];
  const names = features.map(feature => feature.name);
  await sql`insert into features (name, project, type) select name, 'default', 'release' from unnest(${names}::text[]) as name`.execute(
    db,
  );
  await putDocuments(db, 'development', { features });
  await db.destroy();
  server = await startProcess({
    DATABASE_URL: getDatabaseUrl(name),
    HALYARD_INIT_ADMIN_TOKENS: TOKEN,
    ...(IS_MEASURED && { NODE_OPTIONS: `--import=${PROBE}`, PROBE_PORT: String(probePort) }),
    LOG_LEVEL: 'silent',
    HALYARD_WRITES_PER_MINUTE: '0',
  });
});
afterAll(async () => {
  await stopProcess(server);
  await discardDatabase(name);
});

const readLongestBlock = async (): Promise<number> =>
  IS_MEASURED ? ((await (await fetch(`http://127.0.0.1:${probePort}`)).json()) as number) : 0;

/** Returns "done", or the error message if the server rejects the request. */
async function evaluate(body: object): Promise<string> {
  const response = await fetch(`${server.url}/api/admin/playground/advanced`, {
    method: 'POST',
    body: JSON.stringify({ environments: ['development'], ...body }),
    headers: { authorization: TOKEN, 'content-type': 'application/json' },
  });
  const { message = 'done' } = (await response.json()) as { message?: string };
  return message;
}

const joinValues = (count: number) =>
  Array.from({ length: count }, (_, index) => `${'abcd'.repeat(10)}${index}`).join(',');

test.each([
  ['many small evaluations', { context: { userId: joinValues(80) }, prefix: 'small-', count: 100 }],
  ['long lists of values', { context: { userId: joinValues(80) }, prefix: 'lists-', count: 10 }],
  ['slow patterns', { context: { userId: joinValues(80) }, prefix: 'patterns-', count: 5 }],
])(
  `%s are evaluated up to a limit${IS_MEASURED ? `, and block the event loop for less than ${MAX_BLOCKED_MS} ms` : ''}`,
  async (_, { context, prefix, count }) => {
    const features = Array.from({ length: count }, (__, index) => `${prefix}${index}`);
    await evaluate({ context: { userId: '7' }, features: ['small-0'] });
    let shortestBlock = Number.POSITIVE_INFINITY;
    let result = '';

    for (let round = 0; round < 3 && shortestBlock > MAX_BLOCKED_MS; round++) {
      await readLongestBlock();
      result = await evaluate({ context, features });
      shortestBlock = Math.min(shortestBlock, await readLongestBlock());
    }

    // The evaluation may hit a limit, but only after it has started.
    expect(result).toMatch(/^done$|^The response would have more than|^The evaluation takes longer than/);
    expect(shortestBlock).toBeLessThan(MAX_BLOCKED_MS);
  },
  120_000,
);
