import pg from 'pg';
import { boundedConnection } from '../../platform/db/database.ts';

/** The advisory lock of the server that publishes. Any number that nothing else uses. */
const LOCK = 1_214_344_283;
const TRY_EVERY_MS = 1_000;
const QUERY_TIMEOUT_MS = 5_000;

export type Leader = { readonly isLeader: boolean; stop: () => Promise<void> };

/**
 * One server publishes, which saves the others from attempts that NATS would refuse. The lock belongs to a connection, so it is free as soon
 * as the server is gone. Nothing depends on there being only one leader.
 */
export function keepLeading(databaseUrl: string): Leader {
  let client: pg.Client | undefined;
  let isLeader = false;
  let stopped = false;
  let timer: NodeJS.Timeout | undefined;

  const lose = (one: pg.Client): void => {
    if (client !== one) return;
    client = undefined;
    isLeader = false;
    void one.end().catch(() => {});
  };

  const open = async (): Promise<pg.Client> => {
    const fresh = new pg.Client(boundedConnection(databaseUrl, 'nats leader', QUERY_TIMEOUT_MS));
    fresh.on('error', () => lose(fresh));
    fresh.on('end', () => lose(fresh));
    client = fresh;
    await fresh.connect();
    return fresh;
  };

  const attempt = async (): Promise<void> => {
    const current = client;
    try {
      const own = current ?? (await open());
      // A second lock of the same session would have to be released twice.
      const { rows } = await own.query<{ got: boolean }>(
        isLeader ? 'select true as got' : `select pg_try_advisory_lock(${LOCK}) as got`,
      );
      if (client === own) isLeader = rows[0]?.got === true;
    } catch {
      // The log has a line about the unreachable database already.
      if (client) lose(client);
    }
    if (!stopped) timer = setTimeout(() => void attempt(), TRY_EVERY_MS);
  };
  void attempt();

  return {
    get isLeader() {
      return isLeader;
    },
    stop: async () => {
      stopped = true;
      clearTimeout(timer);
      isLeader = false;
      const last = client;
      client = undefined;
      await last?.end().catch(() => {});
    },
  };
}
