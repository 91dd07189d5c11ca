import { checkSealed } from '../../src/delivery/integrations/reseal.ts';
import { checkClientSecret } from '../../src/people/auth-settings/secret.ts';
import { type Config, ConfigError } from '../../src/platform/config.ts';
import { type Db, openDb } from '../../src/platform/db/database.ts';
import { migrate } from '../../src/platform/db/migrate.ts';
import { makeKeyring } from '../../src/platform/secrets/seal.ts';
import { findDifferences } from '../../src/publishing/projection/verify.ts';
import { withClient } from './scratch.ts';

export type Trial = { migrations: number; problems: string[]; readyMs: number };

/** Migrates the restored database, checks its secrets and SDK documents, and starts a server of this version on it. */
export async function tryVersion(config: Config, databaseUrl: string, signal: AbortSignal): Promise<Trial> {
  await withClient(databaseUrl, async client => {
    // The copy must not send deliveries that belong to the original.
    await client.query('update integrations set enabled = false');
    await client.query("delete from integration_deliveries where state in ('pending', 'retrying')");
    await client.query("delete from pgboss.job where name = 'deliver'");
  });
  signal.throwIfAborted();
  const appliedMigrations = await migrate(databaseUrl);
  signal.throwIfAborted();
  const db = openDb({ url: databaseUrl, poolSize: 2, onError: () => {} });
  try {
    const problems = [...(await findSecretProblems(config, db)), ...(await findDocumentProblems(db))];
    if (problems.length > 0) return { migrations: appliedMigrations.length, problems, readyMs: 0 };
    signal.throwIfAborted();
    const startedAt = performance.now();
    const response = await fetchReadiness(config, databaseUrl);
    const readyMs = performance.now() - startedAt;
    if (response.status !== 200) problems.push(`GET /ready responded with ${response.status}.`);
    return { migrations: appliedMigrations.length, problems, readyMs };
  } finally {
    await db.destroy();
  }
}

async function findSecretProblems(config: Config, db: Db): Promise<string[]> {
  const keyring = makeKeyring(config.secretKey, config.oldSecretKeys);
  try {
    await checkClientSecret(db, keyring);
    const unreadableIds = await checkSealed(db, keyring);
    return unreadableIds.map(id => `HALYARD_SECRET_KEY does not decrypt the secrets of integration ${id}.`);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return [error.message];
  }
}

async function findDocumentProblems(db: Db): Promise<string[]> {
  const differences = await findDifferences(db);
  if (differences.length === 0) return [];
  return [`Documents that SDKs read differ from the flags: ${differences.length}.`];
}

async function fetchReadiness(config: Config, databaseUrl: string): Promise<Response> {
  // Loaded here, because the server takes 2 s of CPU time to load, and neither --help nor a failed dump needs it.
  const { startServer } = await import('../../src/server.ts');
  const server = await startServer({
    ...config,
    databaseUrl,
    directUrl: databaseUrl,
    host: '127.0.0.1',
    port: 0,
    logLevel: 'error',
    initAdminTokens: [],
    initAdmin: undefined,
  });
  try {
    return await fetch(new URL('/ready', server.app.listeningOrigin));
  } finally {
    await server.stop();
  }
}
