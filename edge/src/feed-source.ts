import { hash } from 'node:crypto';
import type { FlagsFrame, Frame, Head, TokenAnswer, TokensFrame } from '../../plane/src/feed/frames.ts';
import type { Position } from '../../plane/src/feed/publisher.ts';
import {
  type FeatureRow,
  MAX_ENDED_TOKENS,
  type SegmentRow,
  type Source,
  type TokenRow,
} from '../../plane/src/serving/source.ts';
import type { Feed, Snapshot } from '../../plane/src/snapshot/format.ts';

/** A younger state counts as current. Heads arrive every 3 s. */
export const CURRENT_WITHIN_S = 15;
/** A state of a different epoch may be this much older than the edge's own state. Server clocks differ by less. */
const EPOCH_TOLERANCE_MS = 60_000;

/** `known`: nothing new. `gap`: something before it is missing, so the snapshot has to be read. */
export type Outcome = 'applied' | 'known' | 'gap';

type Rows = { features: FeatureRow[]; segments: SegmentRow[] };

/** The parts of the feed that the serving state does not store, and those that it has not applied yet. */
type Held = {
  feed: Feed;
  epoch: string;
  revision: number;
  completeSince: number;
  tokenRevision: number;
  tokens: Map<string, TokenRow>;
  ended: Set<string>;
  origins: string[];
  /** When this was the newest state, by upstream's clock. Epochs themselves have no order. */
  asOf: number;
  /** The snapshot, until the serving state has applied it. */
  whole: Snapshot | undefined;
  /** Frames that the serving state has not applied yet. */
  pending: FlagsFrame[];
};

export type FeedSource = {
  source: Source;
  readonly position: Position | undefined;
  /** Seconds since the edge last confirmed that it is current. Undefined: it has no feed yet. */
  readonly age: number | undefined;
  readonly isRevoked: boolean;
  /** Returns false for an older snapshot, which would be a step back. */
  takeSnapshot: (snapshot: Snapshot) => boolean;
  take: (frame: Frame) => Outcome;
  /** Throws if the response is about a different feed, or older than what the edge has: it may have been recorded. */
  checkAnswer: <T extends TokenAnswer>(answer: T) => T;
  /** The edge token was revoked: nothing may be served any more. */
  revoke: () => void;
  /** Takes the ids of tokens that were used since the last call. */
  takeUses: () => number[];
};

type Ask = (tokenHash: string) => Promise<TokenAnswer>;

/** The names that the serving state has, to find out what a snapshot no longer contains. */
type NamesNow = () => Iterable<{ project: string; name: string }>;

/** A source that receives its snapshot and frames from outside. It contacts upstream only to look up unknown tokens. */
export function makeFeedSource(enrolled: Feed, ownToken: string, ask: Ask, namesNow: NamesNow): FeedSource {
  const ownHash = hash('sha256', ownToken);
  let held: Held | undefined;
  let uses = new Set<number>();
  let isRevoked = false;
  /** The sender's clock, and the time of our monotonic clock when it was read. */
  let clock: { epoch: string; upstream: number; at: number } | undefined;
  let currentAt = Number.NEGATIVE_INFINITY;

  const have = (): Held => {
    if (!held) throw new Error('The edge has no feed yet');
    return held;
  };

  const age = (): number | undefined => (held ? (performance.now() - currentAt) / 1_000 : undefined);

  const takeSnapshot = (snapshot: Snapshot): boolean => {
    checkFeed(snapshot.feed, enrolled);
    if (isRevoked) return false;
    const { feed, epoch, revision, completeSince, tokenRevision, origins } = snapshot;
    const asOf = Date.parse(snapshot.takenAt);
    if (held && isPastEpoch(held, epoch, asOf)) return false;
    // An older snapshot of the same history, for example from a server that lags behind, must not replace a newer one.
    const isOlder = held && (held.revision > revision || held.tokenRevision > tokenRevision);
    if (held?.epoch === epoch && isOlder && isSame(held.feed, feed)) return false;
    held = {
      feed,
      epoch,
      revision,
      completeSince,
      tokenRevision,
      tokens: new Map(snapshot.tokens.map(row => [row.hash, row])),
      ended: new Set(snapshot.endedTokens),
      origins,
      asOf,
      whole: snapshot,
      pending: [],
    };
    currentAt = performance.now() - Math.max(0, Date.now() - asOf);
    if (held.ended.has(ownHash)) revoke();
    return true;
  };

  const takeFlags = (own: Held, frame: FlagsFrame): Outcome => {
    if (frame.prev > own.revision) return 'gap';
    if (frame.rev < own.revision) return 'known';
    if (frame.rev === own.revision && frame.completeSince <= own.completeSince) return 'known';
    own.pending.push(frame);
    own.revision = frame.rev;
    own.completeSince = frame.completeSince;
    return 'applied';
  };

  const takeTokens = (own: Held, frame: TokensFrame): Outcome => {
    if (frame.rev <= own.tokenRevision) return 'known';
    // A frame from an earlier revision than ours lacks a token that was created and revoked between, which we may have.
    if (frame.prev !== own.tokenRevision) return 'gap';
    for (const event of frame.revs.flatMap(({ events }) => events)) {
      if ('token' in event) {
        own.tokens.set(event.token.hash, event.token);
        own.ended.delete(event.token.hash);
        continue;
      }
      own.tokens.delete(event.ended);
      own.ended.add(event.ended);
      if (event.ended === ownHash) revoke();
    }
    for (const oldest of own.ended) {
      if (own.ended.size <= MAX_ENDED_TOKENS) break;
      own.ended.delete(oldest);
    }
    own.tokenRevision = frame.rev;
    return 'applied';
  };

  const takeHead = (own: Held, head: Head): Outcome => {
    if (
      head.rev > own.revision ||
      head.tokenRev > own.tokenRevision ||
      head.completeSince > own.completeSince
    )
      return 'gap';
    const upstream = Date.parse(head.now);
    // An old head, or one from a server that lags behind, must not set back the clock or the age. The same one again proves nothing.
    if (clock && clock.epoch === head.epoch && upstream <= clock.upstream) return 'known';
    clock = { epoch: head.epoch, upstream, at: performance.now() };
    own.asOf = Math.max(own.asOf, upstream - head.age * 1_000);
    currentAt = Math.max(currentAt, performance.now() - head.age * 1_000);
    own.origins = head.origins;
    return 'applied';
  };

  const revoke = (): void => {
    isRevoked = true;
    if (!held) return;
    for (const key of held.tokens.keys()) held.ended.add(key);
    held.tokens.clear();
    held.tokenRevision++;
  };

  const release = (own: Held, revision: number): void => {
    // The changes since revision 0 are the whole snapshot, so this list is empty.
    if (own.whole && revision > 0 && revision >= own.whole.revision) own.whole = undefined;
    own.pending = own.pending.filter(frame => frame.rev > revision);
  };

  const source: Source = {
    positions: async known => {
      const own = have();
      const taken = known.environments.get(own.feed.environment);
      if (known.epoch === own.epoch && taken !== undefined) release(own, taken);
      const { epoch, tokenRevision, origins, feed, revision, completeSince } = own;
      const seconds = age() ?? 0;
      return {
        epoch,
        now: new Date(clock ? clock.upstream + performance.now() - clock.at : Date.now()).toISOString(),
        ...(seconds > CURRENT_WITHIN_S && { asOf: new Date(Date.now() - seconds * 1_000).toISOString() }),
        tokenRevision,
        origins,
        environments: [{ environment: feed.environment, revision, completeSince }],
      };
    },
    changes: async (environment, after) => {
      const own = have();
      if (environment !== own.feed.environment)
        throw new Error(`The feed is of environment "${own.feed.environment}"`);
      const { epoch, revision, completeSince, whole, pending } = own;
      if (after === 0 && !whole) throw new Error('The snapshot was handed over already');
      return { epoch, revision, completeSince, ...rowsAfter(whole, pending, after, namesNow) };
    },
    tokens: async () => {
      const { epoch, tokenRevision, tokens, ended } = have();
      return { epoch, revision: tokenRevision, tokens: [...tokens.values()], ended: [...ended] };
    },
    findTokens: async hashes => {
      const { epoch, tokenRevision } = have();
      const ended = hashes.filter(one => have().ended.has(one));
      if (isRevoked) return { epoch, revision: tokenRevision, tokens: [], ended };
      const answers = await Promise.all(hashes.filter(one => !ended.includes(one)).map(ask));
      return {
        epoch,
        revision: Math.max(tokenRevision, ...answers.map(({ rev }) => rev)),
        tokens: answers.flatMap(({ token }) => token ?? []),
        ended: [...ended, ...answers.flatMap(answer => (answer.ended ? [answer.hash] : []))],
      };
    },
    reportUses: async ids => {
      for (const id of ids) uses.add(id);
    },
    // A client that is ahead was served by a newer server or edge. It keeps its flags until this edge has caught up.
    isLost: async () => false,
  };

  return {
    source,
    get position() {
      return held && { epoch: held.epoch, revision: held.revision, tokenRevision: held.tokenRevision };
    },
    get age() {
      return age();
    },
    get isRevoked() {
      return isRevoked;
    },
    takeSnapshot,
    take: frame => {
      if (frame.log === 'revoked' || (frame.log === 'token' && frame.ended)) {
        if (frame.hash === ownHash) revoke();
        return 'applied';
      }
      checkFeed(frame.feed, enrolled);
      if (!held) return 'gap';
      if (frame.epoch !== held.epoch) {
        // Only a head says when it was current, and one follows every frame.
        const asOf = frame.log === 'head' ? Date.parse(frame.now) - frame.age * 1_000 : 0;
        return isPastEpoch(held, frame.epoch, asOf) ? 'known' : 'gap';
      }
      if (!isSame(frame.feed, held.feed)) return 'gap';
      if (frame.log === 'flags') return takeFlags(held, frame);
      if (frame.log === 'tokens') return takeTokens(held, frame);
      return frame.log === 'head' ? takeHead(held, frame) : 'known';
    },
    checkAnswer: answer => {
      const { feed, epoch, tokenRevision } = have();
      if (!isSame(answer.feed, feed)) throw new Error('The response is about a different feed');
      if (answer.epoch !== epoch || answer.rev < tokenRevision)
        throw new Error('The response is older than what the edge has');
      return answer;
    },
    revoke,
    takeUses: () => {
      const taken = [...uses];
      uses = new Set();
      return taken;
    },
  };
}

/** Whether this epoch is one that the edge has already left, because upstream lags behind or somebody replays a recording. */
const isPastEpoch = (held: Held, epoch: string, asOf: number): boolean =>
  epoch !== held.epoch && asOf < held.asOf - EPOCH_TOLERANCE_MS;

const isSame = (a: Feed, b: Feed): boolean =>
  a.environment === b.environment && JSON.stringify(a.projects) === JSON.stringify(b.projects);

/** The feed of the enrolment, or fewer of its projects: one may have been deleted since. */
export function checkFeed(feed: Feed, enrolled: Feed): void {
  const { projects } = enrolled;
  const isPart =
    projects === null ? feed.projects === null : feed.projects?.every(one => projects.includes(one));
  if (feed.environment !== enrolled.environment || isPart !== true)
    throw new Error(`The feed of environment "${feed.environment}" does not match the enrolment`);
}

/** The newest row of each feature and segment that the serving state lacks. */
function rowsAfter(
  whole: Snapshot | undefined,
  pending: FlagsFrame[],
  after: number,
  namesNow: NamesNow,
): Rows {
  const features = new Map<string, FeatureRow>();
  const segments = new Map<number, SegmentRow>();
  const keyOf = ({ project, name }: { project: string; name: string }) => `${project}\n${name}`;
  if (whole) {
    for (const row of whole.features) if (row.revision > after) features.set(keyOf(row), row);
    // All segments, because one with an older revision may be new in this feed.
    for (const row of whole.segments) segments.set(row.id, row);
    if (after > 0) {
      const present = new Set(whole.features.map(keyOf));
      // Removals that are older than this are no longer in the snapshot.
      for (const row of namesNow())
        if (!present.has(keyOf(row)))
          features.set(keyOf(row), {
            ...row,
            revision: whole.completeSince,
            document: null,
            segments: [],
            tags: [],
          });
    }
  }
  for (const frame of pending) {
    if (frame.rev <= after) continue;
    for (const event of frame.revs.flatMap(({ events }) => events)) {
      if ('feature' in event) features.set(keyOf(event.feature), event.feature);
      else segments.set(event.segment.id, event.segment);
    }
  }
  return { features: [...features.values()], segments: [...segments.values()] };
}
