/** One entity tag. Proxies make it weak (`W/`), and some append how they compressed the body (`-gzip`). */
const TAG = /^(?:W\/)?"?([0-9a-z]+)\.([0-9a-z]+)\.([0-9]{1,10})(?:[-;:+][0-9a-z-]*)?"?$/i;
/** A client sends one tag, and a proxy a few. */
const MOST_TAGS = 20;
const LONGEST_TAG = 200;

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
  const revisions = header
    .split(',', MOST_TAGS)
    .map(tag => (tag.length <= LONGEST_TAG ? TAG.exec(tag.trim()) : null))
    .filter(found => found?.[1] === epoch && found[2] === scopeId)
    .map(found => Number(found?.[3]));
  return revisions.length === 0 ? undefined : Math.max(...revisions);
}
