import { busNames } from '@halyard/plane/feed/bus.ts';
import { type Bus, NoStreamError, readLast } from '@halyard/plane/feed/nats.ts';
import {
  type EncodedSnapshot,
  makePublication,
  type Position,
  positionText,
} from '@halyard/plane/feed/publisher.ts';
import type { ServingState } from '@halyard/plane/serving/state/serving.ts';
import type { Feed } from '@halyard/plane/snapshot/format.ts';
import type { SigningKey } from '@halyard/plane/snapshot/keys.ts';
import { createStreams, publish, RejectedError } from './streams.ts';

/** The maximum number of unpublished token changes. If there are more, edges read the snapshot. */
const MAX_TOKEN_STEPS = { frames: 256, characters: 256 * 1_024 };
/** The end of the stream is read again after this time, in case an operator has emptied it. */
const VERIFY_FRAMES_MS = 5_000;
const VERIFY_SNAPSHOT_MS = 60_000;
/** A starting edge reads the snapshot and the frames after it, so the snapshot may be a little behind the state. */
const SNAPSHOT_EVERY_MS = 2_000;
/** An unchanged snapshot is published again after this time, so that its age is known. */
const RENEW_SNAPSHOT_MS = 600_000;
/** How long this server waits for the server that normally publishes before it publishes itself. */
const OVERDUE_MS = 2_000;
/** If two servers publish at the same time, NATS rejects one of them, which then reads what the other published. */
const MAX_ATTEMPTS = 5;
/** Reserved for the headers of a message. */
const HEADER_BYTES = 4_096;

type Settings = { replicas: number; maxPayload: () => number };

/** The last message of a subject, and when it was read. */
type StreamEnd = { sequence: number; position: Position | undefined; readAt: number };

type LastSnapshot = StreamEnd & { publishedAt: number };

type TokenStep = { text: string; prev: number; rev: number };
type Step = { text: string; to: Position };

export type FeedPublisher = {
  /** Turns the changes in the serving state into frames. */
  advance: () => void;
  /** Publishes what is missing, if it is this server's turn. Throws if NATS does not accept it. */
  run: (isLeader: boolean) => Promise<number>;
  /** Forgets what was published, for example because NATS was unreachable. */
  forget: () => void;
  readonly headSubject: string;
  /** The current head, signed. It is not stored. */
  head: () => string;
};

/** Keeps the streams of one feed up to date with the database. All servers may do this at the same time. */
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
  /** A frame that does not change the revision, because only old removals were purged. */
  let purge: string | undefined;
  let frames: StreamEnd | undefined;
  let snapshot: LastSnapshot | undefined;
  /** The ETag of the last snapshot that was too large for NATS. */
  let tooLargeEtag: string | undefined;
  /** Since when the position may be unpublished, or undefined if it is known to be published. */
  let unpublishedSince: number | undefined = performance.now();

  const advance = (): void => {
    const positionBefore = publication.position;
    const newFrames = publication.advance();
    if (publication.position.epoch !== positionBefore.epoch) steps = [];
    for (const text of newFrames) {
      const { log, prev, rev } = JSON.parse(text.slice(0, text.indexOf('\n')));
      if (log === 'tokens') steps.push({ text, prev, rev });
      if (log === 'flags') purge = prev === rev ? text : undefined;
    }
    let characters = steps.reduce((sum, { text }) => sum + text.length, 0);
    while (steps.length > MAX_TOKEN_STEPS.frames || characters > MAX_TOKEN_STEPS.characters)
      characters -= steps.shift()?.text.length ?? 0;
    if (positionText(positionBefore) !== positionText(publication.position))
      unpublishedSince ??= performance.now();
  };

  /** Reads the end of a subject, and creates missing streams. */
  const readEnd = async (stream: string, subject: string): Promise<StreamEnd> => {
    const readAt = performance.now();
    try {
      const lastMessage = await readLast(bus.nc, stream, subject);
      return { sequence: lastMessage?.sequence ?? 0, position: lastMessage?.position, readAt };
    } catch (error) {
      if (!(error instanceof NoStreamError)) throw error;
      await createStreams(bus.nc, names, replicas);
      snapshot = undefined;
      return { sequence: 0, position: undefined, readAt };
    }
  };

  /** Returns whether the state was read from the database after this time. */
  const wasReadSince = (time: number): boolean =>
    state.age !== undefined && performance.now() - state.age * 1_000 > time;

  const fitsIntoMessage = (text: string): boolean => Buffer.byteLength(text) <= maxPayload() - HEADER_BYTES;

  /**
   * Returns the token changes from one revision to another, or undefined if some are unknown, because one of those could revoke a
   * token.
   */
  const findTokenSteps = (fromRevision: number, toRevision: number): TokenStep[] | undefined => {
    const newerSteps = steps.filter(({ rev }) => rev > fromRevision);
    const isComplete = newerSteps.every(({ prev }, n) => prev === (newerSteps[n - 1]?.rev ?? fromRevision));
    return isComplete && (newerSteps.at(-1)?.rev ?? fromRevision) === toRevision ? newerSteps : undefined;
  };

  /** Returns frames that bring a reader to the current position, or the head alone, which makes the reader fetch the snapshot. */
  const computeSteps = (readerPosition: Position | undefined): Step[] => {
    const currentPosition = publication.position;
    if (readerPosition && positionText(readerPosition) === positionText(currentPosition))
      return purge === undefined ? [] : [{ text: purge, to: currentPosition }];
    const pointer = [{ text: publication.head(), to: currentPosition }];
    if (readerPosition?.epoch !== currentPosition.epoch) return pointer;
    const flags =
      readerPosition.revision < currentPosition.revision ? publication.catchUp(readerPosition) : [];
    const tokens = findTokenSteps(readerPosition.tokenRevision, currentPosition.tokenRevision);
    if (!tokens || (readerPosition.revision < currentPosition.revision && flags.length === 0)) return pointer;
    const changes = [
      ...flags.map(text => ({
        text,
        to: { ...currentPosition, tokenRevision: readerPosition.tokenRevision },
      })),
      ...tokens.map(({ text, rev }) => ({ text, to: { ...currentPosition, tokenRevision: rev } })),
    ];
    return changes.every(({ text }) => fitsIntoMessage(text)) ? changes : pointer;
  };

  /** Returns whether the stream is ahead of the state because this server is behind or a database backup was restored. */
  const isAhead = ({ position }: StreamEnd): boolean => {
    const ownPosition = publication.position;
    if (!position) return false;
    if (position.epoch !== ownPosition.epoch) return true;
    return position.revision > ownPosition.revision || position.tokenRevision > ownPosition.tokenRevision;
  };

  /** Returns whether this server can continue from the end of the stream. */
  const canContinue = async (streamEnd: StreamEnd): Promise<boolean> => {
    if (!isAhead(streamEnd)) return true;
    // Another server may have published changes that this server reads with its next refresh.
    if (!wasReadSince(streamEnd.readAt)) return false;
    const { position } = streamEnd;
    if (!position || position.epoch !== publication.position.epoch) return true;
    // The database lacks what was published, so a new epoch begins, which a later run publishes.
    await state.isLost(position.epoch, feed.environment, position.revision, position.tokenRevision);
    return position.revision <= publication.position.revision;
  };

  const publishFrames = async (): Promise<number> => {
    if (frames && performance.now() - frames.readAt > VERIFY_FRAMES_MS) frames = undefined;
    let streamEnd = frames ?? (await readEnd(names.framesStream, names.frames));
    frames = streamEnd;
    advance();
    if (!(await canContinue(streamEnd))) return 0;
    let count = 0;
    for (const { text, to } of computeSteps(streamEnd.position)) {
      const expectedSequence = streamEnd.sequence;
      const sequence = await publish(bus.nc, {
        subject: names.frames,
        data: text,
        expectedSequence,
        position: to,
        framesSequence: expectedSequence + 1,
      });
      streamEnd = { sequence, position: to, readAt: streamEnd.readAt };
      frames = streamEnd;
      count++;
      if (text !== purge) continue;
      purge = undefined;
      // The snapshot has the same position, but still lists removals that have been purged.
      if (snapshot) snapshot.position = undefined;
    }
    if (streamEnd.position && positionText(streamEnd.position) === positionText(publication.position))
      unpublishedSince = undefined;
    return count;
  };

  const isSnapshotDue = (lastSnapshot: LastSnapshot, position: Position): boolean => {
    const age = performance.now() - lastSnapshot.publishedAt;
    const isSame = lastSnapshot.position && positionText(lastSnapshot.position) === positionText(position);
    return age > (isSame ? RENEW_SNAPSHOT_MS : SNAPSHOT_EVERY_MS);
  };

  const readLastSnapshot = async (previous: LastSnapshot | undefined): Promise<LastSnapshot> => {
    const streamEnd = await readEnd(names.snapshotStream, names.snapshot);
    const isSame = previous?.sequence === streamEnd.sequence;
    return { ...streamEnd, publishedAt: isSame ? previous.publishedAt : Number.NEGATIVE_INFINITY };
  };

  const publishSnapshot = async (): Promise<number> => {
    const cachedSnapshot = snapshot;
    const isRecent = cachedSnapshot && performance.now() - cachedSnapshot.readAt < VERIFY_SNAPSHOT_MS;
    const lastSnapshot = isRecent ? cachedSnapshot : await readLastSnapshot(cachedSnapshot);
    snapshot = lastSnapshot;
    if (!frames?.position || !isSnapshotDue(lastSnapshot, frames.position)) return 0;
    const { position, sequence: framesSequence } = frames;
    const { etag, gzip } = await encode(feed);
    // Either the state has changed since the frames were published, so new frames must come first, or another server is ahead of
    // this one.
    if (etag !== `"${positionText(position)}"` || etag === tooLargeEtag) return 0;
    const data = await gzip();
    if (data.length > maxPayload() - HEADER_BYTES) {
      tooLargeEtag = etag;
      throw new Error(
        `The snapshot has ${data.length} bytes, but NATS accepts at most ${maxPayload()}. Increase max_payload.`,
      );
    }
    const sequence = await publish(bus.nc, {
      subject: names.snapshot,
      data,
      expectedSequence: lastSnapshot.sequence,
      position,
      framesSequence,
    });
    snapshot = { sequence, position, readAt: lastSnapshot.readAt, publishedAt: performance.now() };
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
        // Whatever this server knew may be outdated, because another server may have published since.
        if (!isLeader) forget();
        try {
          const count = await publishFrames();
          return isLeader || count > 0 ? count + (await publishSnapshot()) : count;
        } catch (error) {
          forget();
          if (!(error instanceof RejectedError) || attempt === MAX_ATTEMPTS) throw error;
        }
      }
    },
    forget,
    headSubject: names.head,
    head: publication.head,
  };
}
