import { eventBlock } from '../../platform/http/output/server-sent-events.ts';
import { makeBodyCache } from '../state/body-cache.ts';
import { formatPosition } from '../state/scope.ts';
import type { ServingState } from '../state/serving.ts';
import type { Stream } from './stream.ts';

const MAX_CACHED_BYTES = 64 * 1_024 * 1_024;
/** The SDKs' default. It is sent to override the value that a different server sent when it stopped. */
const RETRY_MS = 2_000;

/** An empty comment, which shows both ends and all proxies that the connection is alive. */
export const COMMENT = Buffer.from(eventBlock({ comment: '' }));

/** A comment with the reason why the stream ends. */
export const commentFrame = (reason: string): Buffer => Buffer.from(eventBlock({ comment: reason }));

/** The last line of a stream. The client adds its own jitter and reconnects after 50 to 100 % of this time. */
export const retryFrame = (ms: number): Buffer => Buffer.from(eventBlock({ retryMs: ms }));

/** Builds each frame once for all streams that need it. */
export function makeFrames(state: Pick<ServingState, 'hydration' | 'delta'>) {
  const cache = makeBodyCache(MAX_CACHED_BYTES);

  const build = ({ group: { scope }, isNew }: Stream, clientRevision: number | undefined): Buffer => {
    const delta = clientRevision === undefined ? undefined : state.delta(scope, clientRevision);
    const { text, revision } = delta ?? state.hydration(scope);
    const id = formatPosition(scope.current.epoch, scope.id, Math.max(revision, clientRevision ?? 0));
    // A hydration on an open stream looks like a first event, so that proxies replace everything they have.
    return delta && !isNew
      ? Buffer.from(eventBlock({ id, event: 'unleash-updated', data: text }))
      : Buffer.from(eventBlock({ id, event: 'unleash-connected', retryMs: RETRY_MS, data: text }));
  };

  /** Returns the frame that brings the client from its position to the current revision. */
  return (stream: Stream): Buffer => {
    const { group, epoch, revision, isNew } = stream;
    const { scope } = group;
    const clientRevision = epoch === scope.current.epoch ? revision : undefined;
    const key = `${clientRevision ?? 'nothing'} ${isNew && clientRevision !== undefined}`;
    const { etag } = scope;
    if (group.lastFrame?.key === key && group.lastFrame.etag === etag) return group.lastFrame.bytes;
    const bytes = cache.get(`${scope.id} ${key}`, etag, () => build(stream, clientRevision));
    group.lastFrame = { key, etag, bytes };
    return bytes;
  };
}
