import { hash } from 'node:crypto';
import type { FlagsFrame, Frame, Head, TokenFrame, TokensFrame } from '@halyard/plane/feed/frames.ts';
import type { Position } from '@halyard/plane/feed/publisher.ts';
import {
  type FeatureRow,
  MAX_ENDED_TOKENS,
  type SegmentRow,
  type Source,
  type TokenRow,
} from '@halyard/plane/serving/source.ts';
import type { Feed, Snapshot } from '@halyard/plane/snapshot/format.ts';

/** A state younger than this counts as current. Heads arrive every 3 s. */
export const CURRENT_WITHIN_S = 15;
/** A state of a different epoch is accepted if it is at most this much older than the edge's state, because clocks differ. */
const EPOCH_TOLERANCE_MS = 60_000;

/** `known`: the edge already has the frame. `gap`: something before the frame is missing, so the snapshot has to be read. */
export type Outcome = 'applied' | 'known' | 'gap';

type Rows = { features: FeatureRow[]; segments: SegmentRow[] };

/** The parts of the feed that the serving state does not store, and those that it has not applied yet. */
type FeedState = {
  feed: Feed;
  epoch: string;
  revision: number;
  completeSince: number;
  tokenRevision: number;
  tokens: Map<string, TokenRow>;
  ended: Set<string>;
  origins: string[];
  /** When upstream last confirmed this as its newest state, by upstream's clock. Epochs themselves have no order. */
  confirmedAt: number;
  /** The snapshot, until the serving state has applied it. */
  fullSnapshot: Snapshot | undefined;
  /** Frames that the serving state has not applied yet. */
  pending: FlagsFrame[];
};

export type FeedSource = {
  source: Source;
  readonly position: Position | undefined;
  /** Seconds since the edge last confirmed that it is current. Undefined if it has no feed yet. */
  readonly age: number | undefined;
  readonly isRevoked: boolean;
  /** Returns whether the snapshot was taken. A snapshot that is older than the edge's state is not. */
  takeSnapshot: (snapshot: Snapshot) => boolean;
  take: (frame: Frame) => Outcome;
  /** Throws if the response belongs to a different feed or is older than what the edge has, because it may be a replay. */
  checkResponse: <T extends TokenFrame>(response: T) => T;
  /** Stops serving, because the edge token was revoked. */
  revoke: () => void;
  /** Returns the ids of the tokens that were used since the last call. */
  takeUses: () => number[];
};

type LookUp = (tokenHash: string) => Promise<TokenFrame>;

/** Lists the names in the serving state, to find out what a snapshot no longer contains. */
type ListNames = () => Iterable<{ project: string; name: string }>;

/** A source that receives its snapshot and frames from outside. It contacts upstream only to look up unknown tokens. */
export function makeFeedSource(
  enrolledFeed: Feed,
  ownToken: string,
  lookUp: LookUp,
  listNames: ListNames,
): FeedSource {
  const ownHash = hash('sha256', ownToken);
  let currentState: FeedState | undefined;
  let usedTokens = new Set<number>();
  let isRevoked = false;
  /** The sender's clock, and the time of our monotonic clock when it was read. */
  let clock: { epoch: string; upstream: number; readAt: number } | undefined;
  let currentAt = Number.NEGATIVE_INFINITY;

  const requireState = (): FeedState => {
    if (!currentState) throw new Error('The edge has no feed yet');
    return currentState;
  };

  const age = (): number | undefined => (currentState ? (performance.now() - currentAt) / 1_000 : undefined);

  const takeSnapshot = (snapshot: Snapshot): boolean => {
    checkFeed(snapshot.feed, enrolledFeed);
    const { feed, epoch, revision, completeSince, tokenRevision, origins } = snapshot;
    // A smaller feed must list this edge's token. Otherwise, somebody with a different edge's feed could hide flags from this edge.
    const isListed =
      snapshot.tokens.some(token => token.hash === ownHash) || snapshot.endedTokens.includes(ownHash);
    if (isSmaller(feed, enrolledFeed) && !isListed)
      throw new Error(
        'The feed lacks projects from the enrolment, and it does not belong to this edge token',
      );
    if (isRevoked) return false;
    const confirmedAt = Date.parse(snapshot.takenAt);
    if (currentState && isPastEpoch(currentState, epoch, confirmedAt)) return false;
    // An older snapshot of the same history, for example from a server that lags behind, must not replace a newer one.
    const isOlder =
      currentState && (currentState.revision > revision || currentState.tokenRevision > tokenRevision);
    if (currentState?.epoch === epoch && (isOlder || isSmaller(currentState.feed, feed))) return false;
    currentState = {
      feed,
      epoch,
      revision,
      completeSince,
      tokenRevision,
      tokens: new Map(snapshot.tokens.map(row => [row.hash, row])),
      ended: new Set(snapshot.endedTokens),
      origins,
      confirmedAt,
      fullSnapshot: snapshot,
      pending: [],
    };
    currentAt = performance.now() - Math.max(0, Date.now() - confirmedAt);
    if (currentState.ended.has(ownHash)) revoke();
    return true;
  };

  const takeFlags = (state: FeedState, frame: FlagsFrame): Outcome => {
    if (frame.prev > state.revision) return 'gap';
    if (frame.rev < state.revision) return 'known';
    if (frame.rev === state.revision && frame.completeSince <= state.completeSince) return 'known';
    state.pending.push(frame);
    state.revision = frame.rev;
    state.completeSince = frame.completeSince;
    return 'applied';
  };

  const takeTokens = (state: FeedState, frame: TokensFrame): Outcome => {
    if (frame.rev <= state.tokenRevision) return 'known';
    // A frame that starts before our revision omits tokens that were created and revoked within its range. We may have such a token.
    if (frame.prev !== state.tokenRevision) return 'gap';
    for (const event of frame.revs.flatMap(({ events }) => events)) {
      if ('token' in event) {
        state.tokens.set(event.token.hash, event.token);
        state.ended.delete(event.token.hash);
        continue;
      }
      state.tokens.delete(event.ended);
      state.ended.add(event.ended);
      if (event.ended === ownHash) revoke();
    }
    for (const oldest of state.ended) {
      if (state.ended.size <= MAX_ENDED_TOKENS) break;
      state.ended.delete(oldest);
    }
    state.tokenRevision = frame.rev;
    return 'applied';
  };

  const takeHead = (state: FeedState, head: Head): Outcome => {
    if (
      head.rev > state.revision ||
      head.tokenRev > state.tokenRevision ||
      head.completeSince > state.completeSince
    )
      return 'gap';
    const upstream = Date.parse(head.now);
    // An old head, or one from a server that lags behind, must not set back the clock or the age. A repeated head does not
    // prove that the state is still current.
    if (clock && clock.epoch === head.epoch && upstream <= clock.upstream) return 'known';
    clock = { epoch: head.epoch, upstream, readAt: performance.now() };
    state.confirmedAt = Math.max(state.confirmedAt, upstream - head.age * 1_000);
    currentAt = Math.max(currentAt, performance.now() - head.age * 1_000);
    state.origins = head.origins;
    return 'applied';
  };

  const revoke = (): void => {
    isRevoked = true;
    if (!currentState) return;
    for (const key of currentState.tokens.keys()) currentState.ended.add(key);
    currentState.tokens.clear();
    currentState.tokenRevision++;
  };

  const dropApplied = (state: FeedState, revision: number): void => {
    // A serving state at revision 0 still has to read the whole snapshot, even if the snapshot is at revision 0 too.
    if (state.fullSnapshot && revision > 0 && revision >= state.fullSnapshot.revision)
      state.fullSnapshot = undefined;
    state.pending = state.pending.filter(frame => frame.rev > revision);
  };

  const source: Source = {
    positions: async knownRevisions => {
      const state = requireState();
      const appliedRevision = knownRevisions.environments.get(state.feed.environment);
      if (knownRevisions.epoch === state.epoch && appliedRevision !== undefined)
        dropApplied(state, appliedRevision);
      const { epoch, tokenRevision, origins, feed, revision, completeSince } = state;
      const seconds = age() ?? 0;
      return {
        epoch,
        now: new Date(clock ? clock.upstream + performance.now() - clock.readAt : Date.now()).toISOString(),
        ...(seconds > CURRENT_WITHIN_S && {
          copyTakenAt: new Date(Date.now() - seconds * 1_000).toISOString(),
        }),
        tokenRevision,
        origins,
        environments: [{ environment: feed.environment, revision, completeSince }],
      };
    },
    changes: async (environment, afterRevision) => {
      const state = requireState();
      if (environment !== state.feed.environment)
        throw new Error(`The feed belongs to environment "${state.feed.environment}"`);
      const { epoch, revision, completeSince, fullSnapshot, pending } = state;
      if (afterRevision === 0 && !fullSnapshot)
        throw new Error('The serving state has already taken the snapshot');
      return {
        epoch,
        revision,
        completeSince,
        ...rowsAfter(fullSnapshot, pending, afterRevision, listNames),
      };
    },
    tokens: async () => {
      const { epoch, tokenRevision, tokens, ended } = requireState();
      return { epoch, revision: tokenRevision, tokens: [...tokens.values()], ended: [...ended] };
    },
    findTokens: async hashes => {
      const { epoch, tokenRevision } = requireState();
      const ended = hashes.filter(tokenHash => requireState().ended.has(tokenHash));
      if (isRevoked) return { epoch, revision: tokenRevision, tokens: [], ended };
      const responses = await Promise.all(hashes.filter(tokenHash => !ended.includes(tokenHash)).map(lookUp));
      return {
        epoch,
        revision: Math.max(tokenRevision, ...responses.map(({ rev }) => rev)),
        tokens: responses.flatMap(({ token }) => token ?? []),
        ended: [...ended, ...responses.flatMap(response => (response.ended ? [response.hash] : []))],
      };
    },
    reportUses: async ids => {
      for (const id of ids) usedTokens.add(id);
    },
    // A client that is ahead was served by a newer server or edge. It keeps its flags until this edge has caught up.
    isLost: async () => false,
  };

  return {
    source,
    get position() {
      return (
        currentState && {
          epoch: currentState.epoch,
          revision: currentState.revision,
          tokenRevision: currentState.tokenRevision,
        }
      );
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
      checkFeed(frame.feed, enrolledFeed);
      if (!currentState) return 'gap';
      if (frame.epoch !== currentState.epoch) {
        // Only a head contains the time at which it was current. A head follows every frame.
        const confirmedAt = frame.log === 'head' ? Date.parse(frame.now) - frame.age * 1_000 : 0;
        return isPastEpoch(currentState, frame.epoch, confirmedAt) ? 'known' : 'gap';
      }
      if (isSmaller(currentState.feed, frame.feed)) return 'known';
      if (!isSame(frame.feed, currentState.feed)) return 'gap';
      if (frame.log === 'flags') return takeFlags(currentState, frame);
      if (frame.log === 'tokens') return takeTokens(currentState, frame);
      return frame.log === 'head' ? takeHead(currentState, frame) : 'known';
    },
    checkResponse: response => {
      const { feed, epoch, tokenRevision } = requireState();
      if (!isSame(response.feed, feed)) throw new Error('The response is for a different feed');
      if (response.epoch !== epoch || response.rev < tokenRevision)
        throw new Error('The response is older than what the edge has');
      return response;
    },
    revoke,
    takeUses: () => {
      const usedIds = [...usedTokens];
      usedTokens = new Set();
      return usedIds;
    },
  };
}

/** Whether the edge has already left this epoch, which arrives again if upstream lags behind or somebody replays a recording. */
const isPastEpoch = (state: FeedState, epoch: string, confirmedAt: number): boolean =>
  epoch !== state.epoch && confirmedAt < state.confirmedAt - EPOCH_TOLERANCE_MS;

/** A feed never gains projects. It loses a project when the project is archived. */
const isSmaller = (a: Feed, b: Feed): boolean => (a.projects?.length ?? 0) < (b.projects?.length ?? 0);

export const isSame = (a: Feed, b: Feed): boolean =>
  a.environment === b.environment && JSON.stringify(a.projects) === JSON.stringify(b.projects);

/** Throws unless this is the enrolment's feed. Projects can be missing, because they can have been archived since. */
export function checkFeed(feed: Feed, enrolledFeed: Feed): void {
  const { projects } = enrolledFeed;
  const isPart =
    projects === null ? feed.projects === null : feed.projects?.every(project => projects.includes(project));
  if (feed.environment !== enrolledFeed.environment || isPart !== true)
    throw new Error(`The feed of environment "${feed.environment}" does not match the enrolment`);
}

/** Returns the newest row of each feature and segment that the serving state lacks. */
function rowsAfter(
  fullSnapshot: Snapshot | undefined,
  pending: FlagsFrame[],
  afterRevision: number,
  listNames: ListNames,
): Rows {
  const features = new Map<string, FeatureRow>();
  const segments = new Map<number, SegmentRow>();
  const getFeatureKey = ({ project, name }: { project: string; name: string }) => `${project}\n${name}`;
  if (fullSnapshot) {
    for (const row of fullSnapshot.features)
      if (row.revision > afterRevision) features.set(getFeatureKey(row), row);
    // Takes all segments, because a segment with an older revision may be new in this feed.
    for (const row of fullSnapshot.segments) segments.set(row.id, row);
    if (afterRevision > 0) {
      const presentKeys = new Set(fullSnapshot.features.map(getFeatureKey));
      // The snapshot no longer lists removals up to `completeSince`, so they are found by comparing names.
      for (const row of listNames())
        if (!presentKeys.has(getFeatureKey(row)))
          features.set(getFeatureKey(row), {
            ...row,
            revision: fullSnapshot.completeSince,
            document: null,
            segments: [],
            tags: [],
          });
    }
  }
  for (const frame of pending) {
    if (frame.rev <= afterRevision) continue;
    for (const event of frame.revs.flatMap(({ events }) => events)) {
      if ('feature' in event) features.set(getFeatureKey(event.feature), event.feature);
      else segments.set(event.segment.id, event.segment);
    }
  }
  return { features: [...features.values()], segments: [...segments.values()] };
}
