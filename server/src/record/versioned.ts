import { makeEtag } from '../platform/http/output/etag.ts';
import type { Change } from './change.ts';

/** A resource that several people edit, so that its GET has an ETag and its writes check If-Match. */
export type Versioned<Key, Shown extends object> = {
  /** The resource in a message: `Role 7`. */
  nameOf: (key: Key) => string;
  /** Locks the resource and reads it as its GET shows it. Undefined if the actor cannot read such a resource. */
  lock: (current: Change, key: Key) => Promise<Shown | undefined>;
  /** Fields that change although nobody edits the resource. If-Match ignores them, but If-None-Match does not. */
  derived: readonly (keyof Shown & string)[];
};

/** The fields that are needed to compute the ETag of a GET. */
export type Etagged<Shown extends object> = Pick<Versioned<never, Shown>, 'derived'>;

/** The ETag of what a GET shows. */
export function etagOf<Shown extends object>({ derived }: Etagged<Shown>, shown: Shown): string {
  if (derived.length === 0) return makeEtag(shown);
  const names: readonly string[] = derived;
  const content = Object.fromEntries(Object.entries(shown).filter(([name]) => !names.includes(name)));
  return makeEtag(content, shown);
}

/** What If-Match is compared with. */
export type Precondition = {
  /** The resource in a message: `Role 7`. */
  what: string;
  /** Locks the resource and returns the ETags of its current state. */
  readEtags: (current: Change) => Promise<string[]>;
};

/** The precondition that a resource has not changed. */
export const unchanged = <Key, Shown extends object>(
  resource: Versioned<Key, Shown>,
  key: Key,
): Precondition => ({
  what: resource.nameOf(key),
  readEtags: async current => {
    const shown = await resource.lock(current, key);
    return shown ? [etagOf(resource, shown)] : [];
  },
});
