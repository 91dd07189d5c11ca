import { headers, type NatsConnection } from '@nats-io/transport-node';
import { type BusNames, POSITION_HEADER, SEQUENCE_HEADER } from '../../../../plane/src/feed/bus.ts';
import { withStream } from '../../../../plane/src/feed/nats.ts';
import { type Position, positionText } from '../../../../plane/src/feed/publisher.ts';

const TIMEOUT_MS = 5_000;
/** Frames of the past for edges that were cut off. Those that lack more read the snapshot. */
const FRAMES = { messages: 10_000, bytes: 64 * 1_024 * 1_024 };
/** Error codes of JetStream: the expected sequence was wrong, and a stream of this name has other settings. */
const REFUSED = [10_071, 10_164];
const EXISTS = 10_058;

type StreamConfig = {
  name: string;
  subjects: string[];
  storage: 'file';
  num_replicas: number;
  discard: 'old';
  /** Edges read with direct get, because it needs no consumer. */
  allow_direct: true;
  max_msgs: number;
  max_msgs_per_subject: number;
  max_bytes: number;
};

/** The streams of a feed: its newest frames, and its newest snapshot. */
export function streamsOf(names: BusNames, replicas: number): StreamConfig[] {
  const common = { storage: 'file', num_replicas: replicas, discard: 'old', allow_direct: true } as const;
  return [
    {
      name: names.framesStream,
      subjects: [names.frames],
      ...common,
      max_msgs: FRAMES.messages,
      max_msgs_per_subject: -1,
      max_bytes: FRAMES.bytes,
    },
    {
      name: names.snapshotStream,
      subjects: [names.snapshot],
      ...common,
      max_msgs: -1,
      max_msgs_per_subject: 1,
      max_bytes: -1,
    },
  ];
}

type Response = { seq?: number; error?: { err_code?: number; description?: string } };

/** Somebody else published meanwhile. */
export class RefusedError extends Error {}

/** Creates the streams that are missing. An existing one keeps its settings, which an operator may have changed. */
export async function createStreams(nc: NatsConnection, names: BusNames, replicas: number): Promise<void> {
  for (const config of streamsOf(names, replicas)) {
    const response = await nc.request(`$JS.API.STREAM.CREATE.${config.name}`, JSON.stringify(config), {
      timeout: TIMEOUT_MS,
    });
    const { error } = response.json<Response>();
    if (error && error.err_code !== EXISTS)
      throw new Error(`NATS did not create stream ${config.name}: ${error.description}`);
  }
}

export type Message = {
  subject: string;
  data: string | Buffer;
  /** The sequence of the newest message of the subject. 0: there is none. If it is different, NATS refuses the message. */
  expected: number;
  position: Position;
  framesSequence: number;
};

/** Stores a message. Returns its sequence. Throws a `RefusedError` if somebody else published meanwhile. */
export async function publish(
  nc: NatsConnection,
  { subject, data, expected, position, framesSequence }: Message,
): Promise<number> {
  const head = headers();
  head.set('Nats-Expected-Last-Subject-Sequence', String(expected));
  head.set(POSITION_HEADER, positionText(position));
  head.set(SEQUENCE_HEADER, String(framesSequence));
  const response = await withStream(nc.request(subject, data, { headers: head, timeout: TIMEOUT_MS }));
  const { seq, error } = response.json<Response>();
  if (error && REFUSED.includes(error.err_code ?? 0)) throw new RefusedError(error.description);
  if (seq === undefined) throw new Error(`NATS did not store the message: ${error?.description}`);
  return seq;
}
