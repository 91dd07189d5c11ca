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
/** A connection that was cut without a sign is noticed after two of them. */
const PING_EVERY_MS = 5_000;
const RECONNECT_MS = 250;
const RECONNECT_JITTER_MS = 500;
const NOT_FOUND = 404;

export type { Msg };

export type NatsSettings = {
  /** One or more, separated by commas. */
  url: string;
  /** The seed of an nkey. Undefined: the server requires none. */
  nkey: string | undefined;
};

export type Bus = {
  readonly nc: NatsConnection;
  readonly isConnected: boolean;
  close: () => Promise<void>;
};

/** Connects once; the connection then reconnects by itself, for ever. `onConnected` is called after each time. */
export async function connectBus(
  { url, nkey }: NatsSettings,
  name: string,
  onConnected: () => void,
): Promise<Bus> {
  const servers = url.split(',').map(one => one.trim());
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
    // An account may be missing until the configuration is loaded.
    ignoreAuthErrorAbort: true,
    ...(servers.some(one => one.startsWith('tls://')) && { tls: {} }),
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

/** A message of a stream. */
export type Stored = {
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

const stored = (data: Uint8Array, headers: MsgHdrs | undefined): Stored => ({
  data,
  sequence: Number(headers?.get('Nats-Sequence') || 0),
  position: positionIn(headers),
  framesSequence: sequenceIn(headers),
});

/** The newest message of a subject. Undefined if there is none. Throws a `NoStreamError` if there is no such stream. */
export async function readLast(
  nc: NatsConnection,
  stream: string,
  subject: string,
): Promise<Stored | undefined> {
  const { data, headers } = await withStream(
    nc.request(directGet(stream), JSON.stringify({ last_by_subj: subject }), { timeout: REQUEST_TIMEOUT_MS }),
  );
  if (headers?.code === NOT_FOUND) return undefined;
  if (headers === undefined || headers.code > 0)
    throw new Error(`NATS responded with ${headers?.code} ${headers?.description}`);
  return stored(data, headers);
}

/** The messages of a stream from a sequence on, oldest first, at most as many. */
export async function readBatch(
  nc: NatsConnection,
  stream: string,
  from: number,
  most: { messages: number; bytes: number },
): Promise<Stored[]> {
  const request = JSON.stringify({ seq: from, batch: most.messages, max_bytes: most.bytes });
  const found: Stored[] = [];
  // The end of a batch is a message without data.
  const messages = await nc.requestMany(directGet(stream), request, {
    strategy: 'sentinel',
    noMux: true,
    maxWait: REQUEST_TIMEOUT_MS,
  });
  for await (const { data, headers } of messages) if (data.length > 0) found.push(stored(data, headers));
  return found;
}

/** There is no stream of this name, or nobody may use it. */
export class NoStreamError extends Error {}

/** Runs a request. NATS says that nobody responds if the stream does not exist. */
export async function withStream<T>(request: Promise<T>): Promise<T> {
  try {
    return await request;
  } catch (error) {
    if (error instanceof NoRespondersError || (error instanceof RequestError && error.isNoResponders()))
      throw new NoStreamError('The stream does not exist', { cause: error });
    throw error;
  }
}
