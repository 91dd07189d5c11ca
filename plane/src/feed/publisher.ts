import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { BoundedMap } from '../platform/bounded-map.ts';
import type { FeatureRow, SegmentRow, TokenRow } from '../serving/source.ts';
import type { Environment } from '../serving/state/environment.ts';
import type { ServingState } from '../serving/state/serving.ts';
import type { SdkToken } from '../serving/tokens/tokens.ts';
import { encodeSnapshot, type Feed } from '../snapshot/format.ts';
import type { SigningKey } from '../snapshot/keys.ts';
import { collectFeedRows, listFeedTokens, takeSnapshot } from '../snapshot/take.ts';
import { type FlagsFrame, FRAME_VERSION, type Head, type TokensFrame } from './frames.ts';
import { signJson } from './signed.ts';

/**
 * Larger frames are not sent. The edge notices the gap at the next head and reads the snapshot, which is compressed only once
 * for all edges.
 */
const MAX_FRAME_CHARACTERS = 512 * 1_024;
/** Edges that start together get the same bytes, which are dropped after this time. */
const FORGET_SNAPSHOT_AFTER_MS = 30_000;
/** How many catch-up frames are cached for edges that reconnect, of at most 512 KiB each. */
const MAX_CATCH_UPS = 16;

const compress = promisify<Buffer, Buffer>(gzip);

/** `epoch.revision.tokenRevision`: what an edge has. */
export type Position = { epoch: string; revision: number; tokenRevision: number };

const POSITION = /^"?([0-9a-z]{1,50})\.([0-9]{1,10})\.([0-9]{1,15})"?$/i;

export function readPosition(text: string | undefined): Position | undefined {
  const [, epoch, revision, tokenRevision] = POSITION.exec(text?.trim() ?? '') ?? [];
  if (epoch === undefined) return undefined;
  return { epoch, revision: Number(revision), tokenRevision: Number(tokenRevision) };
}

export const positionText = ({ epoch, revision, tokenRevision }: Position): string =>
  `${epoch}.${revision}.${tokenRevision}`;

export type EncodedSnapshot = { etag: string; plain: Buffer; gzip: () => Promise<Buffer> };

/** The feed that an edge token names. Its environment is never null. */
export const toFeed = ({ environment, projects }: Pick<SdkToken, 'environment' | 'projects'>): Feed => ({
  environment: environment ?? '',
  projects: projects === undefined ? null : [...projects],
});

export const feedKey = ({ environment, projects }: Feed): string => JSON.stringify([environment, projects]);

/** One feed as last sent to its edges, and the changes that led to that state. */
export type Publication = {
  readonly feed: Feed;
  readonly position: Position;
  /** Signs the frames that have not been sent yet, oldest first, and moves the position to the current state. */
  advance: () => string[];
  /** The frames that bring an edge from its position to the current one. If the list is empty, the next head shows the gap. */
  catchUp: (edgePosition: Position) => string[];
  head: () => string;
};

const getEnvironment = (state: ServingState, { environment }: Feed): Environment => {
  const [, match] = [...state.environments()].find(([name]) => name === environment) ?? [];
  if (!match) throw new Error(`Environment "${environment}" is not loaded`);
  return match;
};

/** Signs the current revisions of a feed. The head does not list the tokens, because there can be thousands. */
export const signHead = (
  state: ServingState,
  feed: Feed,
  key: SigningKey,
  {
    epoch,
    revision,
    completeSince,
  }: Pick<Environment, 'epoch' | 'revision' | 'completeSince'> = getEnvironment(state, feed),
  tokenRevision = state.tokens.revision,
): string => {
  const head: Head = {
    v: FRAME_VERSION,
    feed,
    log: 'head',
    epoch,
    rev: revision,
    completeSince,
    tokenRev: tokenRevision,
    origins: [...state.origins],
    now: new Date(state.tokens.now()).toISOString(),
    age: state.age ?? 0,
  };
  return signJson(head, key);
};

/** Signs a feed's part of the state in memory. The state has every row with its revision, so no log is stored. */
export function makePublication(state: ServingState, feed: Feed, key: SigningKey): Publication {
  const currentEnvironment = (): Environment => getEnvironment(state, feed);
  const readTokens = () => new Map(listFeedTokens(state, feed).map(row => [row.hash, row]));
  let { epoch, revision, completeSince } = currentEnvironment();
  let tokenRevision = state.tokens.revision;
  let tokens = readTokens();
  /** The frames that reconnecting edges lack, by the revision the edges have. */
  const catchUpFrames = new BoundedMap<number, string[]>(MAX_CATCH_UPS);

  const flagsFrame = (environment: Environment, afterRevision: number): FlagsFrame => ({
    v: FRAME_VERSION,
    feed,
    log: 'flags',
    epoch: environment.epoch,
    prev: afterRevision,
    rev: environment.revision,
    completeSince: environment.completeSince,
    revs: groupByRevision(collectFeedRows(environment, feed, afterRevision)),
  });

  /** An edge token that covers fewer projects than before is not revoked. Its edge reconnects and gets the smaller feed. */
  const belongsToOtherFeed = ({ type, hash }: TokenRow): boolean =>
    type === 'edge' && state.tokens.get(hash)?.ended === false;

  const tokensFrame = (newTokens: Map<string, TokenRow>): TokensFrame => ({
    v: FRAME_VERSION,
    feed,
    log: 'tokens',
    epoch,
    prev: tokenRevision,
    rev: state.tokens.revision,
    revs: [
      {
        rev: state.tokens.revision,
        events: [
          ...[...newTokens.values()]
            .filter(row => JSON.stringify(row) !== JSON.stringify(tokens.get(row.hash)))
            .map(token => ({ token })),
          ...[...tokens.values()]
            .filter(row => !newTokens.has(row.hash) && !belongsToOtherFeed(row))
            .map(({ hash }) => ({ ended: hash })),
        ],
      },
    ],
  });

  const signIfSmall = (frame: FlagsFrame | TokensFrame): string[] => {
    const text = signJson(frame, key);
    return text.length > MAX_FRAME_CHARACTERS ? [] : [text];
  };

  const advanceFlags = (): string[] => {
    const environment = currentEnvironment();
    const isSameHistory = environment.epoch === epoch;
    if (isSameHistory && environment.revision === revision && environment.completeSince === completeSince)
      return [];
    const frames = isSameHistory ? signIfSmall(flagsFrame(environment, revision)) : [];
    ({ epoch, revision, completeSince } = environment);
    catchUpFrames.clear();
    return frames;
  };

  const advanceTokens = (): string[] => {
    if (state.tokens.revision === tokenRevision) return [];
    const newTokens = readTokens();
    const frames = signIfSmall(tokensFrame(newTokens));
    tokenRevision = state.tokens.revision;
    tokens = newTokens;
    return frames;
  };

  return {
    feed,
    get position() {
      return { epoch, revision, tokenRevision };
    },
    advance: () => [...advanceFlags(), ...advanceTokens()],
    catchUp: edgePosition => {
      const environment = currentEnvironment();
      const canCatchUp =
        edgePosition.epoch === epoch &&
        edgePosition.revision >= environment.completeSince &&
        edgePosition.revision < revision;
      if (!canCatchUp) return [];
      const cachedFrames = catchUpFrames.get(edgePosition.revision);
      if (cachedFrames) return cachedFrames;
      const frames = signIfSmall(flagsFrame(environment, edgePosition.revision));
      catchUpFrames.set(edgePosition.revision, frames);
      return frames;
    },
    head: () => signHead(state, feed, key, { epoch, revision, completeSince }, tokenRevision),
  };
}

function groupByRevision(rows: { features: FeatureRow[]; segments: SegmentRow[] }): FlagsFrame['revs'] {
  const changes = [
    ...rows.segments.map(segment => ({ rev: segment.revision, event: { segment } })),
    ...rows.features.map(feature => ({ rev: feature.revision, event: { feature } })),
  ].toSorted((a, b) => a.rev - b.rev);
  return [...Map.groupBy(changes, ({ rev }) => rev)].map(([rev, sameRevision]) => ({
    rev,
    events: sameRevision.map(({ event }) => event),
  }));
}

/** Encodes snapshots, once for all edges that have the same feed. */
export function makeSnapshots(
  state: ServingState,
  key: SigningKey,
): (feed: Feed) => Promise<EncodedSnapshot> {
  const cache = new Map<string, { etag: string; snapshot: Promise<EncodedSnapshot> }>();
  return async feed => {
    const environment = [...state.environments()].find(([name]) => name === feed.environment)?.[1];
    if (!environment) throw new Error(`Environment "${feed.environment}" is not loaded`);
    const { epoch, revision } = environment;
    const etag = `"${positionText({ epoch, revision, tokenRevision: state.tokens.revision })}"`;
    const id = feedKey(feed);
    const cached = cache.get(id);
    if (cached?.etag === etag) return await cached.snapshot;
    // Uses the same clock as heads, because edges compare the times of both.
    const takenAt = new Date(state.tokens.now() - (state.age ?? 0) * 1_000).toISOString();
    const rows = { ...takeSnapshot(state, feed, environment), takenAt };
    const snapshot = encodeSnapshot(rows, key).then(parts => {
      const plain = Buffer.concat(parts);
      let compressed: Promise<Buffer> | undefined;
      return { etag, plain, gzip: () => (compressed ??= compress(plain)) };
    });
    const entry = { etag, snapshot };
    cache.set(id, entry);
    const forget = () => {
      if (cache.get(id) === entry) cache.delete(id);
    };
    snapshot.catch(forget);
    setTimeout(forget, FORGET_SNAPSHOT_AFTER_MS).unref();
    return await snapshot;
  };
}
