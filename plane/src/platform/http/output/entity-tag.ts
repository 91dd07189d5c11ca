/** One tag of If-Match or If-None-Match, without its quotes. */
export type EntityTag = { opaque: string; isWeak: boolean; isQuoted: boolean };

/** The tags of a header. `any` is `*`. `isValid` is false if the header has anything other than quoted tags, or more than 20. */
export type EntityTags = { any: boolean; tags: EntityTag[]; isValid: boolean };

/** A client sends one tag, and a proxy a few. */
const MAX_TAGS = 20;
const SEPARATOR = /^[\s,]*,[\s,]*$/;
const BLANK = /^[\s,]*$/;
/** Some proxies remove the quotes. */
const TAG = /(W\/)?(?:"([\x21\x23-\x7e\x80-\xff]*)"|([^\s",]+))/g;

/**
 * Reads the tags that a client sends. Callers that require a valid header check `isValid`; others use whatever tags could be
 * read.
 */
export function readEntityTags(header: string | undefined): EntityTags {
  if (header === undefined) return { any: false, tags: [], isValid: false };
  if (header.trim() === '*') return { any: true, tags: [], isValid: true };
  const tags: EntityTag[] = [];
  let end = 0;
  let hasSeparators = true;
  for (const match of header.matchAll(TAG)) {
    if (tags.length === MAX_TAGS) break;
    const [text, weak, quoted, bare = ''] = match;
    tags.push({ opaque: quoted ?? bare, isWeak: weak !== undefined, isQuoted: quoted !== undefined });
    hasSeparators &&= (tags.length === 1 ? BLANK : SEPARATOR).test(header.slice(end, match.index));
    end = match.index + text.length;
  }
  const areQuoted = tags.length > 0 && tags.every(({ isQuoted }) => isQuoted);
  return { any: false, tags, isValid: areQuoted && hasSeparators && BLANK.test(header.slice(end)) };
}

/** Whether If-None-Match names the tag. Proxies make it weak (`W/`), and some append how they compressed the body (`-gzip`). */
export function hasEntityTag(header: string | undefined, tag: string): boolean {
  const opaqueTag = tag.slice(1, -1);
  const { any, tags } = readEntityTags(header);
  return (
    any ||
    tags.some(
      ({ opaque, isQuoted }) => isQuoted && (opaque === opaqueTag || opaque.startsWith(`${opaqueTag}-`)),
    )
  );
}
