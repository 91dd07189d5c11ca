import pg from 'pg';
import { boundedConnection } from './database.ts';

const RECONNECT_MS = 1_000;
/** A connection that only listens does not notice when the network drops it, so it sends queries. */
const HEARTBEAT_MS = 10_000;
const HEARTBEAT_TIMEOUT_MS = 5_000;

/** The name of the connection, after "halyard". */
const listenerName = (channel: string): string => `${channel.replace('halyard_', '')} listener`;

/** Calls back at every notification on a channel, and after every reconnection, since some may have been missed. */
export function listenTo(
  url: string,
  channel: string,
  onNotification: () => void,
  onError: (error: Error) => void,
): () => Promise<void> {
  let client: pg.Client | undefined;
  let timer: NodeJS.Timeout | undefined;

  const connect = () => {
    const fresh = new pg.Client({
      ...boundedConnection(url, listenerName(channel), HEARTBEAT_TIMEOUT_MS),
    });
    client = fresh;
    const again = (error: Error) => {
      if (fresh !== client) return;
      client = undefined;
      clearTimeout(timer);
      onError(error);
      void fresh.end().catch(() => {});
      timer = setTimeout(connect, RECONNECT_MS);
    };
    const beat = () => {
      if (fresh !== client) return;
      timer = setTimeout(() => fresh.query('select 1').then(beat, again), HEARTBEAT_MS);
    };
    fresh.on('error', again);
    fresh.on('end', () => again(new Error('Connection terminated: the listener was closed')));
    fresh.on('notification', onNotification);
    fresh
      .connect()
      .then(() => fresh.query(`listen ${pg.escapeIdentifier(channel)}`))
      .then(() => {
        onNotification();
        beat();
      })
      .catch(again);
  };
  connect();
  return async () => {
    clearTimeout(timer);
    const last = client;
    client = undefined;
    await last?.end().catch(() => {});
  };
}
