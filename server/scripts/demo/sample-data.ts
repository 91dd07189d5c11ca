import { randomBytes } from 'node:crypto';
import { readConfig } from '../../src/platform/config.ts';
import { migrate } from '../../src/platform/db/migrate.ts';
import { loadSnapshot } from '../sample-data/snapshot.ts';

/** The credentials of the demo's admin, and the key that encrypts the sample data's secrets. */
type Access = { username: string; password: string; secretKey: string };

/**
 * Loads the sample data into a new database: from the snapshot or, if the snapshot was made for different migrations, through the
 * API.
 */
export async function prepareSampleData(databaseUrl: string): Promise<Access> {
  await migrate(databaseUrl);
  const password = randomBytes(15).toString('base64url');
  const key = randomBytes(32);
  const secretKey = key.toString('base64');
  const admin = await loadSnapshot(databaseUrl, { password, secretKey: key });
  if (admin !== undefined) return { username: admin, password, secretKey };

  const { makeSampleData } = await import('../sample-data/make.ts');
  const logins = await makeSampleData(
    readConfig({ DATABASE_URL: databaseUrl, HALYARD_SECRET_KEY: secretKey }),
  );
  const { username = '', password: adminPassword = '' } = logins[0] ?? {};
  return { username, password: adminPassword, secretKey };
}
