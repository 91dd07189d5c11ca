import {
  connect,
  type Msg,
  type MsgHdrs,
  type NatsConnection,
  NoRespondersError,
  nkeyAuthenticator,
  RequestError,
} from '@nats-io/transport-node';
import { directGet, POSITION_HEADER, SEQUENCE_HEADER } from './bus.ts';
import { type Position, readPosition } from './publisher.ts';

const CONNECT_TIMEOUT_MS = 2_000;
const REQUEST_TIMEOUT_MS = 5_000;
/** A connection that breaks silently is noticed after two of these intervals. */
const PING_EVERY_MS = 5_000;
const RECONNECT_MS = 250;
const RECONNECT_JITTER_MS = 500;
const NOT_FOUND = 404;

export type { Msg };

export type NatsSettings = {
  /** One or more, separated by commas. */
  url: string;
  /** The seed of an nkey. Undefined if the server requires none. */
  nkey: string | undefined;
};

export type Bus = {
  readonly nc: NatsConnection;
  readonly isConnected: boolean;
  close: () => Promise<void>;
};

/** Opens a connection that always reconnects on its own. `onConnected` is called after each time it connects. */
export async function connectBus(
  { url, nkey }: NatsSettings,
  name: string,
  onConnected: () => void,
): Promise<Bus> {
  const servers = url.split(',').map(server => server.trim());
  const nc = await connect({
    servers,
    name,
    noEcho: true,
    timeout: CONNECT_TIMEOUT_MS,
    pingInterval: PING_EVERY_MS,
    maxReconnectAttempts: -1,
    reconnectTimeWait: RECONNECT_MS,
    reconnectJitter: RECONNECT_JITTER_MS,
    reconnectJitterTLS: RECONNECT_JITTER_MS,
    // An account may be missing until NATS has loaded the configuration.
    ignoreAuthErrorAbort: true,
    ...(servers.some(server => server.startsWith('tls://')) && { tls: {} }),
    ...(nkey !== undefined && { authenticator: nkeyAuthenticator(Buffer.from(nkey)) }),
  });
  let isConnected = true;
  void (async () => {
    for await (const { type } of nc.status()) {
      if (type === 'disconnect') isConnected = false;
      if (type !== 'reconnect') continue;
      isConnected = true;
      onConnected();
    }
  })();
  onConnected();
  return {
    nc,
    get isConnected() {
      return isConnected && !nc.isClosed();
    },
    close: () => nc.close(),
  };
}

/** A message from a stream. */
export type StoredMessage = {
  data: Uint8Array;
  sequence: number;
  position: Position | undefined;
  /** See SEQUENCE_HEADER. */
  framesSequence: number;
};

export const positionIn = (headers: MsgHdrs | undefined): Position | undefined =>
  readPosition(headers?.get(POSITION_HEADER));

export const sequenceIn = (headers: MsgHdrs | undefined): number => {
  const sequence = Number(headers?.get(SEQUENCE_HEADER) || 0);
  return Number.isSafeInteger(sequence) && sequence >= 0 ? sequence : 0;
};

const toStoredMessage = (data: Uint8Array, headers: MsgHdrs | undefined): StoredMessage => ({
  data,
  sequence: Number(headers?.get('Nats-Sequence') || 0),
  position: positionIn(headers),
  framesSequence: sequenceIn(headers),
});

/** Returns the newest message of a subject, or undefined if there is none. Throws a `NoStreamError` if there is no such stream. */
export async function readLast(
  nc: NatsConnection,
  stream: string,
  subject: string,
): Promise<StoredMessage | undefined> {
  const { data, headers } = await withStream(
    nc.request(directGet(stream), JSON.stringify({ last_by_subj: subject }), { timeout: REQUEST_TIMEOUT_MS }),
  );
  if (headers?.code === NOT_FOUND) return undefined;
  if (headers === undefined || headers.code > 0)
    throw new Error(`NATS responded with ${headers?.code} ${headers?.description}`);
  return toStoredMessage(data, headers);
}

/**
 * Reads the messages of a stream from a sequence number, oldest first, up to the given limits. Throws an error if more arrive.
 */
export async function readBatch(
  nc: NatsConnection,
  stream: string,
  firstSequence: number,
  max: { messages: number; bytes: number },
): Promise<StoredMessage[]> {
  const request = JSON.stringify({ seq: firstSequence, batch: max.messages, max_bytes: max.bytes });
  const batch: StoredMessage[] = [];
  // A message without data ends a batch.
  const messages = await nc.requestMany(directGet(stream), request, {
    strategy: 'sentinel',
    noMux: true,
    maxWait: REQUEST_TIMEOUT_MS,
  });
  let bytes = 0;
  for await (const { data, headers } of messages) {
    if (data.length === 0) continue;
    bytes += data.length;
    // NATS sends the first message even if it alone exceeds the limit.
    if (batch.length === max.messages || (batch.length > 0 && bytes > max.bytes))
      throw new Error(`NATS sent more than ${max.messages} messages or ${max.bytes} bytes`);
    batch.push(toStoredMessage(data, headers));
  }
  return batch;
}

/** Thrown if there is no stream with this name, or the account may not use it. */
export class NoStreamError extends Error {}

/** Runs a request. If the stream does not exist, NATS reports that there are no responders. */
export async function withStream<T>(request: Promise<T>): Promise<T> {
  try {
    return await request;
  } catch (error) {
    if (error instanceof NoRespondersError || (error instanceof RequestError && error.isNoResponders()))
      throw new NoStreamError('The stream does not exist', { cause: error });
    throw error;
  }
}
