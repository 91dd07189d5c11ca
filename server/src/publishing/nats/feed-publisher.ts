import { busNames } from '../../../../plane/src/feed/bus.ts';
import { type Bus, NoStreamError, readLast } from '../../../../plane/src/feed/nats.ts';
import {
  type EncodedSnapshot,
  makePublication,
  type Position,
  positionText,
} from '../../../../plane/src/feed/publisher.ts';
import type { ServingState } from '../../../../plane/src/serving/state/serving.ts';
import type { Feed } from '../../../../plane/src/snapshot/format.ts';
import type { SigningKey } from '../../../../plane/src/snapshot/keys.ts';
import { createStreams, publish, RefusedError } from './streams.ts';

/** Changes of tokens that are not published yet. If there are more, edges read the snapshot. */
const MAX_TOKEN_STEPS = { frames: 256, characters: 256 * 1_024 };
/** What the stream ends with is read again after this time, in case that an operator has emptied it. */
const VERIFY_FRAMES_MS = 5_000;
const VERIFY_SNAPSHOT_MS = 60_000;
/** An edge that starts reads the snapshot and the frames after it, so the snapshot may be a little older. */
const SNAPSHOT_EVERY_MS = 2_000;
/** An unchanged snapshot is published again after this time, so that its age is known. */
const RENEW_SNAPSHOT_MS = 600_000;
/** Another server publishes normally. After this time, this one does. */
const OVERDUE_MS = 2_000;
/** Two servers that publish at the same time: one is refused, and reads what the other published. */
const MAX_ATTEMPTS = 5;
/** The headers of a message. */
const HEADER_BYTES = 4_096;

type Settings = { replicas: number; maxPayload: () => number };

/** What a subject ends with, and when that was read. */
type Last = { sequence: number; position: Position | undefined; readAt: number };

type LastSnapshot = Last & { publishedAt: number };

type TokenStep = { text: string; prev: number; rev: number };
type Step = { text: string; to: Position };

export type FeedPublisher = {
  /** Takes what changed. */
  advance: () => void;
  /** Publishes what is missing, if it is this server's turn. Throws if NATS did not take it. */
  run: (isLeader: boolean) => Promise<number>;
  /** What was published is no longer certain, for example because NATS was unreachable. */
  forget: () => void;
  readonly headSubject: string;
  /** The current head, signed. It is not stored. */
  head: () => string;
};

/** Keeps the streams of one feed at what the database has. All servers may do this at the same time. */
export function makeFeedPublisher(
  state: ServingState,
  feed: Feed,
  key: SigningKey,
  bus: Bus,
  encode: (feed: Feed) => Promise<EncodedSnapshot>,
  { replicas, maxPayload }: Settings,
): FeedPublisher {
  const names = busNames(feed);
  const publication = makePublication(state, feed, key);
  let steps: TokenStep[] = [];
  /** A frame that leaves the revision as it is: removals of the past were purged. */
  let purge: string | undefined;
  let frames: Last | undefined;
  let snapshot: LastSnapshot | undefined;
  /** The snapshot that NATS cannot store. */
  let tooLarge: string | undefined;
  /** When a position was first seen that is not known to be published. */
  let unpublishedSince: number | undefined = performance.now();

  const advance = (): void => {
    const before = publication.position;
    const advanced = publication.advance();
    if (publication.position.epoch !== before.epoch) steps = [];
    for (const text of advanced) {
      const { log, prev, rev } = JSON.parse(text.slice(0, text.indexOf('\n')));
      if (log === 'tokens') steps.push({ text, prev, rev });
      if (log === 'flags') purge = prev === rev ? text : undefined;
    }
    let characters = steps.reduce((sum, { text }) => sum + text.length, 0);
    while (steps.length > MAX_TOKEN_STEPS.frames || characters > MAX_TOKEN_STEPS.characters)
      characters -= steps.shift()?.text.length ?? 0;
    if (positionText(before) !== positionText(publication.position)) unpublishedSince ??= performance.now();
  };

  /** Reads the end of a subject, and creates the streams if there are none. */
  const lastOf = async (stream: string, subject: string): Promise<Last> => {
    const readAt = performance.now();
    try {
      const last = await readLast(bus.nc, stream, subject);
      return { sequence: last?.sequence ?? 0, position: last?.position, readAt };
    } catch (error) {
      if (!(error instanceof NoStreamError)) throw error;
      await createStreams(bus.nc, names, replicas);
      snapshot = undefined;
      return { sequence: 0, position: undefined, readAt };
    }
  };

  /** Whether the state was read from the database after this time. */
  const isReadSince = (time: number): boolean =>
    state.age !== undefined && performance.now() - state.age * 1_000 > time;

  const fits = (text: string): boolean => Buffer.byteLength(text) <= maxPayload() - HEADER_BYTES;

  /** The changes of tokens from one revision to another. Undefined if they are not all known: a token could be revoked in the gap. */
  const tokenSteps = (from: number, to: number): TokenStep[] | undefined => {
    const found = steps.filter(({ rev }) => rev > from);
    const isComplete = found.every(({ prev }, n) => prev === (found[n - 1]?.rev ?? from));
    return isComplete && (found.at(-1)?.rev ?? from) === to ? found : undefined;
  };

  /** What brings a reader from one position to the current one: frames, or the head alone, which makes it read the snapshot. */
  const stepsFrom = (from: Position | undefined): Step[] => {
    const to = publication.position;
    if (from && positionText(from) === positionText(to))
      return purge === undefined ? [] : [{ text: purge, to }];
    const pointer = [{ text: publication.head(), to }];
    if (from?.epoch !== to.epoch) return pointer;
    const flags = from.revision < to.revision ? publication.catchUp(from) : [];
    const tokens = tokenSteps(from.tokenRevision, to.tokenRevision);
    if (!tokens || (from.revision < to.revision && flags.length === 0)) return pointer;
    const all = [
      ...flags.map(text => ({ text, to: { ...to, tokenRevision: from.tokenRevision } })),
      ...tokens.map(({ text, rev }) => ({ text, to: { ...to, tokenRevision: rev } })),
    ];
    return all.every(({ text }) => fits(text)) ? all : pointer;
  };

  /** Whether the stream has what the state lacks: this server is behind, or a backup of the database was restored. */
  const isAhead = ({ position }: Last): boolean => {
    const own = publication.position;
    if (!position) return false;
    if (position.epoch !== own.epoch) return true;
    return position.revision > own.revision || position.tokenRevision > own.tokenRevision;
  };

  /** Whether this server may continue after what the stream ends with. */
  const mayFollow = async (last: Last): Promise<boolean> => {
    if (!isAhead(last)) return true;
    // What somebody else published may be newer than our state. After the next refresh, it is not.
    if (!isReadSince(last.readAt)) return false;
    const { position } = last;
    if (!position || position.epoch !== publication.position.epoch) return true;
    // The database lacks what was published. A new epoch begins, which a later run publishes.
    await state.isLost(position.epoch, feed.environment, position.revision, position.tokenRevision);
    return position.revision <= publication.position.revision;
  };

  const publishFrames = async (): Promise<number> => {
    if (frames && performance.now() - frames.readAt > VERIFY_FRAMES_MS) frames = undefined;
    let last = frames ?? (await lastOf(names.framesStream, names.frames));
    frames = last;
    advance();
    if (!(await mayFollow(last))) return 0;
    let count = 0;
    for (const { text, to } of stepsFrom(last.position)) {
      const expected = last.sequence;
      const sequence = await publish(bus.nc, {
        subject: names.frames,
        data: text,
        expected,
        position: to,
        framesSequence: expected + 1,
      });
      last = { sequence, position: to, readAt: last.readAt };
      frames = last;
      count++;
      if (text !== purge) continue;
      purge = undefined;
      // The snapshot has the same position, but lists removals that are gone.
      if (snapshot) snapshot.position = undefined;
    }
    if (last.position && positionText(last.position) === positionText(publication.position))
      unpublishedSince = undefined;
    return count;
  };

  const isSnapshotDue = (last: LastSnapshot, position: Position): boolean => {
    const age = performance.now() - last.publishedAt;
    const isSame = last.position && positionText(last.position) === positionText(position);
    return age > (isSame ? RENEW_SNAPSHOT_MS : SNAPSHOT_EVERY_MS);
  };

  const readSnapshot = async (known: LastSnapshot | undefined): Promise<LastSnapshot> => {
    const last = await lastOf(names.snapshotStream, names.snapshot);
    const isSame = known?.sequence === last.sequence;
    return { ...last, publishedAt: isSame ? known.publishedAt : Number.NEGATIVE_INFINITY };
  };

  const publishSnapshot = async (): Promise<number> => {
    const known = snapshot;
    const isKnown = known && performance.now() - known.readAt < VERIFY_SNAPSHOT_MS;
    const last = isKnown ? known : await readSnapshot(known);
    snapshot = last;
    if (!frames?.position || !isSnapshotDue(last, frames.position)) return 0;
    const { position, sequence: framesSequence } = frames;
    const { etag, gzip } = await encode(feed);
    // The state has changed since the frames were published, which come first. Or another server is ahead of this one.
    if (etag !== `"${positionText(position)}"` || etag === tooLarge) return 0;
    const data = await gzip();
    if (data.length > maxPayload() - HEADER_BYTES) {
      tooLarge = etag;
      throw new Error(
        `The snapshot has ${data.length} bytes, and NATS accepts ${maxPayload()}. Raise max_payload.`,
      );
    }
    const sequence = await publish(bus.nc, {
      subject: names.snapshot,
      data,
      expected: last.sequence,
      position,
      framesSequence,
    });
    snapshot = { sequence, position, readAt: last.readAt, publishedAt: performance.now() };
    return 1;
  };

  const forget = (): void => {
    frames = undefined;
    snapshot = undefined;
  };

  return {
    advance,
    run: async isLeader => {
      const isOverdue = unpublishedSince !== undefined && performance.now() - unpublishedSince > OVERDUE_MS;
      if (!isLeader && !isOverdue) return 0;
      for (let attempt = 1; ; attempt++) {
        // Whatever this server knew, somebody else may have published since.
        if (!isLeader) forget();
        try {
          const count = await publishFrames();
          return isLeader || count > 0 ? count + (await publishSnapshot()) : count;
        } catch (error) {
          forget();
          if (!(error instanceof RefusedError) || attempt === MAX_ATTEMPTS) throw error;
        }
      }
    },
    forget,
    headSubject: names.head,
    head: publication.head,
  };
}
