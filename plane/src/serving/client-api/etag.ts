import { readEntityTags } from '../../platform/http/output/entity-tag.ts';

/** `epoch.scope.revision`. Some proxies append how they compressed the body (`-gzip`). */
const TAG = /^([0-9a-z]{1,50})\.([0-9a-z]{1,50})\.([0-9]{1,10})(?:[-;:+][0-9a-z-]{0,100})?$/i;

/**
 * The revision that a client has of the scope, by its If-None-Match: the highest one if there are several tags, Infinity for `*`,
 * and undefined if no tag is of this epoch and scope.
 */
export function presentedRevision(
  header: string | undefined,
  epoch: string,
  scopeId: string,
): number | undefined {
  const { any, tags } = readEntityTags(header);
  if (any) return Number.POSITIVE_INFINITY;
  const revisions = tags
    .map(({ opaque }) => TAG.exec(opaque))
    .filter(found => found?.[1] === epoch && found[2] === scopeId)
    .map(found => Number(found?.[3]));
  return revisions.length === 0 ? undefined : Math.max(...revisions);
}
