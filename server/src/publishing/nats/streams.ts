import { type BusNames, POSITION_HEADER, SEQUENCE_HEADER } from '@halyard/plane/feed/bus.ts';
import { withStream } from '@halyard/plane/feed/nats.ts';
import { type Position, positionText } from '@halyard/plane/feed/publisher.ts';
import { headers, type NatsConnection } from '@nats-io/transport-node';

const TIMEOUT_MS = 5_000;
/** Old frames are kept for edges that were disconnected. An edge that missed more than this reads the snapshot. */
const FRAME_LIMITS = { messages: 10_000, bytes: 64 * 1_024 * 1_024 };
/** Error codes of JetStream for a wrong expected sequence, and for a stream of this name with different settings. */
const CONFLICT_CODES = [10_071, 10_164];
const STREAM_EXISTS_CODE = 10_058;

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
export function listStreamConfigs(names: BusNames, replicas: number): StreamConfig[] {
  const common = { storage: 'file', num_replicas: replicas, discard: 'old', allow_direct: true } as const;
  return [
    {
      name: names.framesStream,
      subjects: [names.frames],
      ...common,
      max_msgs: FRAME_LIMITS.messages,
      max_msgs_per_subject: -1,
      max_bytes: FRAME_LIMITS.bytes,
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

/** Thrown if another server has published in the meantime. */
export class RejectedError extends Error {}

/** Creates the streams that are missing. An existing one keeps its settings, which an operator may have changed. */
export async function createStreams(nc: NatsConnection, names: BusNames, replicas: number): Promise<void> {
  for (const config of listStreamConfigs(names, replicas)) {
    const response = await nc.request(`$JS.API.STREAM.CREATE.${config.name}`, JSON.stringify(config), {
      timeout: TIMEOUT_MS,
    });
    const { error } = response.json<Response>();
    if (error && error.err_code !== STREAM_EXISTS_CODE)
      throw new Error(`NATS did not create stream ${config.name}: ${error.description}`);
  }
}

export type Message = {
  subject: string;
  data: string | Buffer;
  /**
   * The sequence number of the newest message with the subject, or 0 if there is none. If it has changed, NATS rejects the message.
   */
  expectedSequence: number;
  position: Position;
  framesSequence: number;
};

/** Stores a message and returns its sequence number. Throws a `RejectedError` if another server has published in the meantime. */
export async function publish(
  nc: NatsConnection,
  { subject, data, expectedSequence, position, framesSequence }: Message,
): Promise<number> {
  const messageHeaders = headers();
  messageHeaders.set('Nats-Expected-Last-Subject-Sequence', String(expectedSequence));
  messageHeaders.set(POSITION_HEADER, positionText(position));
  messageHeaders.set(SEQUENCE_HEADER, String(framesSequence));
  const response = await withStream(
    nc.request(subject, data, { headers: messageHeaders, timeout: TIMEOUT_MS }),
  );
  const { seq, error } = response.json<Response>();
  if (error && CONFLICT_CODES.includes(error.err_code ?? 0)) throw new RejectedError(error.description);
  if (seq === undefined) throw new Error(`NATS did not store the message: ${error?.description}`);
  return seq;
}
