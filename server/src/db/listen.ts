import pg from 'pg';

const RECONNECT_MS = 1_000;

/** Calls back at every notification on a channel, and after every reconnection, since some may have been missed. */
export function listenTo(
  url: string,
  channel: string,
  onNotification: () => void,
  onError: (error: Error) => void,
): () => Promise<void> {
  let client: pg.Client | undefined;
  let timer: NodeJS.Timeout | undefined;
  let stopped = false;

  const again = (error: Error) => {
    const lost = client;
    client = undefined;
    if (stopped || lost === undefined) return;
    onError(error);
    void lost.end().catch(() => {});
    timer = setTimeout(connect, RECONNECT_MS);
  };
  const connect = () => {
    const fresh = new pg.Client({
      connectionString: url,
      application_name: 'halyard listener',
      keepAlive: true,
      connectionTimeoutMillis: 5_000,
    });
    client = fresh;
    fresh.on('error', again);
    fresh.on('end', () => fresh === client && again(new Error('The listening connection was closed')));
    fresh.on('notification', onNotification);
    fresh
      .connect()
      .then(() => fresh.query(`listen ${pg.escapeIdentifier(channel)}`))
      .then(onNotification, again);
  };
  connect();
  return async () => {
    stopped = true;
    clearTimeout(timer);
    const last = client;
    client = undefined;
    await last?.end().catch(() => {});
  };
}
