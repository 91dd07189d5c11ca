import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { BoundedMap } from '../platform/bounded-map.ts';
import type { FeatureRow, SegmentRow, TokenRow } from '../serving/source.ts';
import type { Environment } from '../serving/state/environment.ts';
import type { ServingState } from '../serving/state/serving.ts';
import type { SdkToken } from '../serving/tokens/tokens.ts';
import { encodeSnapshot, type Feed } from '../snapshot/format.ts';
import type { SigningKey } from '../snapshot/keys.ts';
import { rowsOf, takeSnapshot, tokensOf } from '../snapshot/take.ts';
import { type FlagsFrame, FRAME_VERSION, type Head, type TokensFrame } from './frames.ts';
import { signed } from './signed.ts';

/**
 * Larger frames are not sent. The edge notices the gap at the next head and reads the snapshot, which is compressed once for all
 * edges.
 */
const MAX_FRAME_CHARACTERS = 512 * 1_024;
/** Edges that start together get the same bytes. After this time without a reader they are forgotten. */
const FORGET_SNAPSHOT_AFTER_MS = 30_000;
/** How many catch-up frames are cached for edges that reconnect, of at most 512 KiB each. */
const MAX_BRIDGES = 16;

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
export const feedOf = ({ environment, projects }: Pick<SdkToken, 'environment' | 'projects'>): Feed => ({
  environment: environment ?? '',
  projects: projects === undefined ? null : [...projects],
});

export const feedKey = ({ environment, projects }: Feed): string => JSON.stringify([environment, projects]);

/** One feed as last sent to all its edges, and the changes that led there. */
export type Publication = {
  readonly feed: Feed;
  readonly position: Position;
  /** The frames that were not sent yet, signed, oldest first. Moves the position to the current state. */
  advance: () => string[];
  /** The frames that bring an edge from its position to the current one. If the list is empty, the next head shows the gap. */
  catchUp: (from: Position) => string[];
  head: () => string;
};

const environmentOf = (state: ServingState, { environment }: Feed): Environment => {
  const [, found] = [...state.environments()].find(([name]) => name === environment) ?? [];
  if (!found) throw new Error(`Environment "${environment}" is not loaded`);
  return found;
};

/** The current revisions of a feed. It does not list the tokens, because there can be thousands. */
export const signedHead = (
  state: ServingState,
  feed: Feed,
  key: SigningKey,
  {
    epoch,
    revision,
    completeSince,
  }: Pick<Environment, 'epoch' | 'revision' | 'completeSince'> = environmentOf(state, feed),
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
  return signed(head, key);
};

/** Signs a feed's part of the state in memory. The state has every row with its revision, so no log is stored. */
export function makePublication(state: ServingState, feed: Feed, key: SigningKey): Publication {
  const current = (): Environment => environmentOf(state, feed);
  const tokensNow = () => new Map(tokensOf(state, feed).map(row => [row.hash, row]));
  let { epoch, revision, completeSince } = current();
  let tokenRevision = state.tokens.revision;
  let tokens = tokensNow();
  /** The frames that reconnecting edges lack, by the revision that they have. */
  const bridges = new BoundedMap<number, string[]>(MAX_BRIDGES);

  const flagsFrame = (environment: Environment, after: number): FlagsFrame => ({
    v: FRAME_VERSION,
    feed,
    log: 'flags',
    epoch: environment.epoch,
    prev: after,
    rev: environment.revision,
    completeSince: environment.completeSince,
    revs: byRevision(rowsOf(environment, feed, after)),
  });

  const tokensFrame = (after: Map<string, TokenRow>): TokensFrame => ({
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
          ...[...after.values()]
            .filter(row => JSON.stringify(row) !== JSON.stringify(tokens.get(row.hash)))
            .map(token => ({ token })),
          ...[...tokens.keys()].filter(hash => !after.has(hash)).map(ended => ({ ended })),
        ],
      },
    ],
  });

  const fitting = (frame: FlagsFrame | TokensFrame): string[] => {
    const text = signed(frame, key);
    return text.length > MAX_FRAME_CHARACTERS ? [] : [text];
  };

  const advanceFlags = (): string[] => {
    const environment = current();
    const isSameHistory = environment.epoch === epoch;
    if (isSameHistory && environment.revision === revision && environment.completeSince === completeSince)
      return [];
    const frames = isSameHistory ? fitting(flagsFrame(environment, revision)) : [];
    ({ epoch, revision, completeSince } = environment);
    bridges.clear();
    return frames;
  };

  const advanceTokens = (): string[] => {
    if (state.tokens.revision === tokenRevision) return [];
    const after = tokensNow();
    const frames = fitting(tokensFrame(after));
    tokenRevision = state.tokens.revision;
    tokens = after;
    return frames;
  };

  return {
    feed,
    get position() {
      return { epoch, revision, tokenRevision };
    },
    advance: () => [...advanceFlags(), ...advanceTokens()],
    catchUp: from => {
      const environment = current();
      const isBridged =
        from.epoch === epoch && from.revision >= environment.completeSince && from.revision < revision;
      if (!isBridged) return [];
      const known = bridges.get(from.revision);
      if (known) return known;
      const frames = fitting(flagsFrame(environment, from.revision));
      bridges.set(from.revision, frames);
      return frames;
    },
    head: () => signedHead(state, feed, key, { epoch, revision, completeSince }, tokenRevision),
  };
}

function byRevision(rows: { features: FeatureRow[]; segments: SegmentRow[] }): FlagsFrame['revs'] {
  const all = [
    ...rows.segments.map(segment => ({ rev: segment.revision, event: { segment } })),
    ...rows.features.map(feature => ({ rev: feature.revision, event: { feature } })),
  ].toSorted((a, b) => a.rev - b.rev);
  return [...Map.groupBy(all, ({ rev }) => rev)].map(([rev, some]) => ({
    rev,
    events: some.map(({ event }) => event),
  }));
}

/** Encodes snapshots, once for all edges that have the same feed. */
export function makeSnapshots(
  state: ServingState,
  key: SigningKey,
): (feed: Feed) => Promise<EncodedSnapshot> {
  const kept = new Map<string, { etag: string; made: Promise<EncodedSnapshot> }>();
  return async feed => {
    const environment = [...state.environments()].find(([name]) => name === feed.environment)?.[1];
    if (!environment) throw new Error(`Environment "${feed.environment}" is not loaded`);
    const { epoch, revision } = environment;
    const etag = `"${positionText({ epoch, revision, tokenRevision: state.tokens.revision })}"`;
    const id = feedKey(feed);
    const known = kept.get(id);
    if (known?.etag === etag) return await known.made;
    // Uses the same clock as heads, because edges compare the two.
    const takenAt = new Date(state.tokens.now() - (state.age ?? 0) * 1_000).toISOString();
    const taken = { ...takeSnapshot(state, feed, environment), takenAt };
    const made = encodeSnapshot(taken, key).then(parts => {
      const plain = Buffer.concat(parts);
      let compressed: Promise<Buffer> | undefined;
      return { etag, plain, gzip: () => (compressed ??= compress(plain)) };
    });
    const entry = { etag, made };
    kept.set(id, entry);
    const forget = () => {
      if (kept.get(id) === entry) kept.delete(id);
    };
    made.catch(forget);
    setTimeout(forget, FORGET_SNAPSHOT_AFTER_MS).unref();
    return await made;
  };
}
