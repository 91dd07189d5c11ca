import { eventBlock } from '../../platform/http/output/server-sent-events.ts';
import { makeBodyCache } from '../state/body-cache.ts';
import { positionOf } from '../state/scope.ts';
import type { ServingState } from '../state/serving.ts';
import type { Stream } from './stream.ts';

const MAX_CACHED_BYTES = 64 * 1_024 * 1_024;
/** The default of SDKs. It replaces the value that another server sent when it stopped. */
const RETRY_MS = 2_000;

/** A comment, which tells both ends and all proxies that the connection is alive. */
export const COMMENT = Buffer.from(eventBlock({ comment: '' }));

/** A comment that says why the stream ends. */
export const commentFrame = (why: string): Buffer => Buffer.from(eventBlock({ comment: why }));

/** The last line of a stream. The client adds its own jitter: it returns after between half and all of this time. */
export const retryFrame = (ms: number): Buffer => Buffer.from(eventBlock({ retryMs: ms }));

/** Builds each frame once for all streams that need it. */
export function makeFrames(state: Pick<ServingState, 'hydration' | 'delta'>) {
  const cache = makeBodyCache(MAX_CACHED_BYTES);

  const build = ({ group: { scope }, isNew }: Stream, from: number | undefined): Buffer => {
    const delta = from === undefined ? undefined : state.delta(scope, from);
    const { text, revision } = delta ?? state.hydration(scope);
    const id = positionOf(scope.current.epoch, scope.id, Math.max(revision, from ?? 0));
    // A hydration on an open stream looks like the first event, because proxies then replace everything.
    return delta && !isNew
      ? Buffer.from(eventBlock({ id, event: 'unleash-updated', data: text }))
      : Buffer.from(eventBlock({ id, event: 'unleash-connected', retryMs: RETRY_MS, data: text }));
  };

  /** The frame that brings the client from its position to the current revision. */
  return (stream: Stream): Buffer => {
    const { group, epoch, revision, isNew } = stream;
    const { scope } = group;
    const from = epoch === scope.current.epoch ? revision : undefined;
    const key = `${from ?? 'nothing'} ${isNew && from !== undefined}`;
    const { etag } = scope;
    if (group.last?.key === key && group.last.etag === etag) return group.last.bytes;
    const bytes = cache.get(`${scope.id} ${key}`, etag, () => build(stream, from));
    group.last = { key, etag, bytes };
    return bytes;
  };
}
