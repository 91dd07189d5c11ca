/** One entity tag. Proxies make it weak (`W/`), and some append how they compressed the body (`-gzip`). */
const TAG = /(?:W\/)?"?([0-9a-z]+)\.([0-9a-z]+)\.([0-9]{1,10})(?:[-;:+][0-9a-z-]*)?"?\s*(?:,|$)/gi;

/**
 * The revision that a client has of the scope, by its If-None-Match: the highest one if there are several tags, Infinity for `*`,
 * and undefined if no tag is of this epoch and scope.
 */
export function presentedRevision(
  header: string | undefined,
  epoch: string,
  scopeId: string,
): number | undefined {
  if (header === undefined) return undefined;
  if (header.trim() === '*') return Number.POSITIVE_INFINITY;
  const revisions = [...header.matchAll(TAG)]
    .filter(([, tagEpoch, tagScope]) => tagEpoch === epoch && tagScope === scopeId)
    .map(([, , , revision]) => Number(revision));
  return revisions.length === 0 ? undefined : Math.max(...revisions);
}
