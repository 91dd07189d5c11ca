import pg from 'pg';
import { boundedConnection } from '../../platform/db/database.ts';

/** The advisory lock of the publishing server. Any number that nothing else uses works. */
const LOCK = 1_214_344_283;
const TRY_EVERY_MS = 1_000;
const QUERY_TIMEOUT_MS = 5_000;

export type Leader = { readonly isLeader: boolean; stop: () => Promise<void> };

/**
 * Lets one server publish, which spares the others attempts that NATS would reject. The lock belongs to a connection, so it is free
 * as soon as the server is gone. Nothing depends on there being only one leader.
 */
export function electLeader(databaseUrl: string): Leader {
  let client: pg.Client | undefined;
  let isLeader = false;
  let isStopped = false;
  let timer: NodeJS.Timeout | undefined;

  const lose = (lostClient: pg.Client): void => {
    if (client !== lostClient) return;
    client = undefined;
    isLeader = false;
    void lostClient.end().catch(() => {});
  };

  const connect = async (): Promise<pg.Client> => {
    const newClient = new pg.Client(boundedConnection(databaseUrl, 'nats leader', QUERY_TIMEOUT_MS));
    newClient.on('error', () => lose(newClient));
    newClient.on('end', () => lose(newClient));
    client = newClient;
    await newClient.connect();
    return newClient;
  };

  const attempt = async (): Promise<void> => {
    const current = client;
    try {
      const activeClient = current ?? (await connect());
      // If the session took the lock twice, it would have to release it twice.
      const { rows } = await activeClient.query<{ isAcquired: boolean }>(
        isLeader ? 'select true as "isAcquired"' : `select pg_try_advisory_lock(${LOCK}) as "isAcquired"`,
      );
      if (client === activeClient) isLeader = rows[0]?.isAcquired === true;
    } catch {
      // Another part of the server has already logged that the database is unreachable.
      if (client) lose(client);
    }
    if (!isStopped) timer = setTimeout(() => void attempt(), TRY_EVERY_MS);
  };
  void attempt();

  return {
    get isLeader() {
      return isLeader;
    },
    stop: async () => {
      isStopped = true;
      clearTimeout(timer);
      isLeader = false;
      const lastClient = client;
      client = undefined;
      await lastClient?.end().catch(() => {});
    },
  };
}
