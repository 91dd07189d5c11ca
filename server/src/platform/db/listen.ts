import pg from 'pg';
import { boundedConnection } from './database.ts';

const RECONNECT_MS = 1_000;
/** A connection that only listens does not notice when the network drops it, so it sends a query this often. */
const HEARTBEAT_MS = 10_000;
const HEARTBEAT_TIMEOUT_MS = 5_000;

/** Returns the name of the connection, which follows "halyard" in PostgreSQL's list. */
const getListenerName = (channel: string): string => `${channel.replace('halyard_', '')} listener`;

/**
 * Calls `onNotification` for every notification on a channel, and after every reconnection, because notifications may have been
 * missed.
 */
export function listenTo(
  url: string,
  channel: string,
  onNotification: () => void,
  onError: (error: Error) => void,
): () => Promise<void> {
  let client: pg.Client | undefined;
  let timer: NodeJS.Timeout | undefined;

  const connect = () => {
    const newClient = new pg.Client({
      ...boundedConnection(url, getListenerName(channel), HEARTBEAT_TIMEOUT_MS),
    });
    client = newClient;
    const reconnect = (error: Error) => {
      if (newClient !== client) return;
      client = undefined;
      clearTimeout(timer);
      onError(error);
      void newClient.end().catch(() => {});
      timer = setTimeout(connect, RECONNECT_MS);
    };
    const scheduleHeartbeat = () => {
      if (newClient !== client) return;
      timer = setTimeout(() => newClient.query('select 1').then(scheduleHeartbeat, reconnect), HEARTBEAT_MS);
    };
    newClient.on('error', reconnect);
    newClient.on('end', () => reconnect(new Error('Connection terminated: the listener was closed')));
    newClient.on('notification', onNotification);
    newClient
      .connect()
      .then(() => newClient.query(`listen ${pg.escapeIdentifier(channel)}`))
      .then(() => {
        onNotification();
        scheduleHeartbeat();
      })
      .catch(reconnect);
  };
  connect();
  return async () => {
    clearTimeout(timer);
    const lastClient = client;
    client = undefined;
    await lastClient?.end().catch(() => {});
  };
}
