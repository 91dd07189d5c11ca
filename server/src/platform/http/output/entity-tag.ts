/** A client sends one tag, and a proxy a few. */
const MOST_TAGS = 20;

/** Whether If-None-Match names the tag. Proxies make it weak (`W/`), and some append how they compressed the body (`-gzip`). */
export function hasEntityTag(header: string | undefined, tag: string): boolean {
  if (header === undefined) return false;
  if (header.trim() === '*') return true;
  const opaque = tag.slice(1, -1);
  return header
    .split(',', MOST_TAGS)
    .map(presented => presented.trim().replace(/^W\//, ''))
    .some(presented => presented === tag || presented.startsWith(`"${opaque}-`));
}
