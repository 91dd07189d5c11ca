import pg from 'pg';
import type { Config } from '../../src/platform/config.ts';
import { openDb } from '../../src/platform/db/database.ts';
import { migrate } from '../../src/platform/db/migrate.ts';
import { startServer } from '../../src/server.ts';
import { makeHistory } from './history.ts';
import { createPeople, type Login } from './people.ts';
import { startReceiver } from './receiver.ts';
import { createIntegrations, createLastDays, setUpInstance } from './scenes.ts';
import { makeSteps } from './steps.ts';
import { writeUsage } from './usage.ts';

const DAYS = 60;
/** Three attempts in the first second and a fourth after half an hour, so that failing deliveries have past and future attempts. */
const SCHEDULE = [0, 0.2, 0.4, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400];

/** Creates the sample data in an empty database. Returns the users with their passwords. */
export async function makeSampleData(config: Config): Promise<Login[]> {
  await migrate(config.databaseUrl);
  const client = new pg.Client({ connectionString: config.databaseUrl });
  await client.connect();
  const db = openDb({ url: config.databaseUrl, poolSize: 1, onError: () => {} });
  const receiver = await startReceiver();
  try {
    await requireEmpty(client);
    const server = await startServer({
      ...config,
      host: '127.0.0.1',
      port: 0,
      // Not `warn`, because the server would warn that there are no users yet.
      logLevel: 'error',
      allowPrivateTargets: true,
      deliverySchedule: SCHEDULE,
      writeLimit: { perMinute: 0, burst: 1 },
    });
    try {
      const { port } = server.app.server.address() as { port: number };
      const steps = makeSteps(client);
      const people = await createPeople(steps, config.databaseUrl, `http://127.0.0.1:${port}`, DAYS);
      await setUpInstance(steps, people, DAYS);
      await makeHistory(steps, people, db, DAYS, 3);
      await createIntegrations(steps, people, receiver);
      await createLastDays(steps, people, receiver, db);
      await steps.shiftTimes();
      await writeUsage(db);
      return people.logins;
    } finally {
      await server.stop();
    }
  } finally {
    receiver.close();
    await db.destroy();
    await client.end();
  }
}

async function requireEmpty(client: pg.Client): Promise<void> {
  const { rows } = await client.query('select 1 from users union all select 1 from features limit 1');
  if (rows.length > 0)
    throw new Error(
      'The database already has users or features. The sample data requires an empty database.',
    );
}
