import { setTimeout as sleep } from 'node:timers/promises';
import { isAnnouncement } from '@halyard/plane/feed/announcement.ts';
import { type Head, parseFrame } from '@halyard/plane/feed/frames.ts';
import { feedKey, positionText } from '@halyard/plane/feed/publisher.ts';
import { readSigned } from '@halyard/plane/feed/signed.ts';
import {
  decodeSnapshot,
  type Feed,
  MAX_SIGNED_HEADER_BYTES,
  readHeader,
  SnapshotError,
  UntrustedKeyError,
} from '@halyard/plane/snapshot/format.ts';
import type { Log } from '../log.ts';
import type { Trust } from '../trust.ts';
import type { Upstream } from '../upstream.ts';
import { ChangedError, type Headers, type ObjectStore, type StoredObject } from './object-store.ts';

/** The first two lines of the newest snapshot: the header, which names the body by its hash, and the signature. */
export const POINTER = 'current';
export const BODIES = 'bodies/';
/** A reader may use a pointer that it read this long ago, so every body that the pointer has named since then is kept. */
const KEEP_REPLACED_S = 3_600;
const PRUNE_EVERY_MS = 600_000;
/** The time between two snapshots, which also limits the number of bodies, because each is kept for an hour. */
const PUBLISH_EVERY_MS = 5_000;
/** Without changes, the header is renewed, so that readers know how old the flags are. */
const RENEW_EVERY_MS = 60_000;
const RETRY_MS = { first: 1_000, max: 30_000 };
const ONCE_WITHIN_MS = 120_000;
const MAX_ATTEMPTS = 3;

const POINTER_HEADERS: Headers = {
  contentType: 'text/plain; charset=utf-8',
  cacheControl: `public, max-age=5, stale-while-revalidate=30, stale-if-error=${KEEP_REPLACED_S}`,
};
const BODY_HEADERS: Headers = {
  contentType: 'application/json',
  cacheControl: 'public, max-age=31536000, immutable',
};

type Header = ReturnType<typeof readHeader>['header'];

export type PublishingParts = {
  store: ObjectStore;
  upstream: Upstream;
  trust: Trust;
  feed: Feed;
  log: Log;
};

/** Publishes the current snapshot, and, with `isFollowing`, every change until the signal is aborted. */
export async function publishSnapshots(
  parts: PublishingParts,
  isFollowing: boolean,
  signal: AbortSignal,
): Promise<void> {
  const { log, store } = parts;
  if (!isFollowing)
    return await followStream(parts, false, AbortSignal.any([signal, AbortSignal.timeout(ONCE_WITHIN_MS)]));
  let problem: string | undefined;
  let waitMs = RETRY_MS.first;
  while (!signal.aborted) {
    try {
      await followStream(parts, true, signal, () => {
        problem = undefined;
        waitMs = RETRY_MS.first;
      });
    } catch (error) {
      if (signal.aborted) return;
      const { message } = error as Error;
      // Logs one line for each kind of problem rather than for each attempt.
      if (message !== problem) log.warn({ err: error, to: store.name }, 'snapshot not published');
      problem = message;
      await sleep(waitMs, undefined, { signal }).catch(() => {});
      waitMs = Math.min(2 * waitMs, RETRY_MS.max);
    }
  }
}

/**
 * Reads heads as they arrive, and publishes the snapshot when a head shows a change. Ends with the stream or, without `isFollowing`,
 * after the first snapshot.
 */
async function followStream(
  { store, upstream, trust, feed, log }: PublishingParts,
  isFollowing: boolean,
  signal: AbortSignal,
  onPublished: () => void = () => {},
): Promise<void> {
  let position: string | undefined;
  let publishedAt = Number.NEGATIVE_INFINITY;
  let prunedAt = Number.NEGATIVE_INFINITY;
  for await (const text of upstream.stream(undefined, signal)) {
    if (isAnnouncement(text)) {
      await trust.take(text);
      continue;
    }
    const head = readHead(text, trust);
    if (!head || feedKey(head.feed) !== feedKey(feed)) continue;
    const current = positionText({ epoch: head.epoch, revision: head.rev, tokenRevision: head.tokenRev });
    const age = performance.now() - publishedAt;
    if (age < (current === position ? RENEW_EVERY_MS : PUBLISH_EVERY_MS)) continue;
    const bytes = await upstream.snapshot();
    const { outcome, snapshot } = await publish(store, bytes, feed, trust, log);
    publishedAt = performance.now();
    position = positionText(snapshot);
    const { revision, epoch } = snapshot;
    if (outcome === 'published' || !isFollowing)
      log.info({ to: store.name, revision, epoch }, `snapshot ${outcome}`);
    if (performance.now() - prunedAt > PRUNE_EVERY_MS) {
      await prune(store, trust);
      prunedAt = performance.now();
    }
    onPublished();
    if (!isFollowing) return;
  }
  if (!isFollowing) throw new Error('The server ended the stream before it sent a head');
}

/** Returns undefined if the text is a different kind of frame, or is not signed with a trusted key. */
function readHead(text: string, trust: Trust): Head | undefined {
  try {
    const frame = parseFrame(readSigned(text, trust.keys));
    return frame.log === 'head' ? frame : undefined;
  } catch {
    return undefined;
  }
}

/** `kept` means that the published snapshot is at least as new. */
type Outcome = 'published' | 'renewed' | 'kept';

/**
 * Writes the body and then the pointer, so that a reader that has the pointer finds the body, and a process that is killed in
 * between has changed nothing. Never replaces a snapshot with an older one.
 */
export async function publish(
  store: ObjectStore,
  bytes: Buffer,
  feed: Feed,
  trust: Pick<Trust, 'keys'>,
  log: Log,
): Promise<{ outcome: Outcome; snapshot: ReturnType<typeof decodeSnapshot> }> {
  const snapshot = decodeSnapshot(bytes, trust.keys);
  const { header, bodyOffset } = readHeader(bytes, trust.keys);
  if (feedKey(snapshot.feed) !== feedKey(feed))
    throw new SnapshotError('The snapshot belongs to a different feed.');
  for (let attempt = 1; ; attempt++) {
    const previous = await store.read(POINTER, MAX_SIGNED_HEADER_BYTES);
    const previousHeader = previous && readPublishedHeader(previous, trust, log);
    if (previousHeader && feedKey(previousHeader.feed) !== feedKey(feed))
      throw new Error(
        `${store.name} contains snapshots of a different feed: environment "${previousHeader.feed.environment}". Use a different destination for each feed.`,
      );
    if (previousHeader && !isNewer(header, previousHeader)) return { outcome: 'kept', snapshot };
    const isSameBody = previousHeader?.sha256 === header.sha256;
    if (!isSameBody) await store.write(bodyKey(header), bytes.subarray(bodyOffset), BODY_HEADERS);
    try {
      await store.replace(POINTER, bytes.subarray(0, bodyOffset), POINTER_HEADERS, previous);
      return { outcome: isSameBody ? 'renewed' : 'published', snapshot };
    } catch (error) {
      if (!(error instanceof ChangedError) || attempt === MAX_ATTEMPTS) throw error;
    }
  }
}

const bodyKey = ({ sha256 }: Pick<Header, 'sha256'>): string => `${BODIES}${sha256}.json`;

/** Time decides, because epochs have no order. Within an epoch, revisions count too, because a server may lag behind. */
const isNewer = (header: Header, published: Header): boolean =>
  Date.parse(header.takenAt) > Date.parse(published.takenAt) &&
  (header.epoch !== published.epoch || header.revision >= published.revision);

/** Reads the header in the pointer. Returns undefined if it is damaged. */
function readPublishedHeader(
  { bytes }: StoredObject,
  { keys }: Pick<Trust, 'keys'>,
  log: Log,
): Header | undefined {
  try {
    return readHeader(bytes, keys).header;
  } catch (error) {
    // The pointer may be signed with a key that is newer than this process's keys.
    if (error instanceof UntrustedKeyError)
      throw new Error(`${error.message} If this key was replaced, delete "${POINTER}".`, { cause: error });
    log.warn({ err: error }, 'published header damaged');
    return undefined;
  }
}

/** Removes bodies that were replaced more than an hour ago. A body was replaced when the next one was written. */
export async function prune(store: ObjectStore, { keys }: Pick<Trust, 'keys'>): Promise<void> {
  const pointer = await store.read(POINTER, MAX_SIGNED_HEADER_BYTES);
  if (!pointer) return;
  const current = bodyKey(readHeader(pointer.bytes, keys).header);
  const bodies = (await store.list(BODIES)).toSorted((a, b) => a.modifiedAt - b.modifiedAt);
  for (const [index, { key }] of bodies.entries()) {
    const replacedAt = bodies[index + 1]?.modifiedAt;
    if (key === current || replacedAt === undefined) continue;
    if (Date.now() - replacedAt > KEEP_REPLACED_S * 1_000) await store.remove(key);
  }
}
