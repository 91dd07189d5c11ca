import { readEntityTags } from '../../platform/http/output/entity-tag.ts';

/** `epoch.scope.revision`. Some proxies append how they compressed the body (`-gzip`). */
const TAG = /^([0-9a-z]{1,50})\.([0-9a-z]{1,50})\.([0-9]{1,10})(?:[-;:+][0-9a-z-]{0,100})?$/i;

/**
 * Returns the revision that a client has according to If-None-Match: the highest if there are several tags, Infinity
 * for `*`, and undefined if no tag belongs to this epoch and scope.
 */
export function readRevision(header: string | undefined, epoch: string, scopeId: string): number | undefined {
  const { any, tags } = readEntityTags(header);
  if (any) return Number.POSITIVE_INFINITY;
  const revisions = tags
    .map(({ opaque }) => TAG.exec(opaque))
    .filter(match => match?.[1] === epoch && match[2] === scopeId)
    .map(match => Number(match?.[3]));
  return revisions.length === 0 ? undefined : Math.max(...revisions);
}
