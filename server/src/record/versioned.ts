import { makeEtag } from '../platform/http/output/etag.ts';
import type { Change } from './change.ts';

/** A resource that several people edit, so that its GET has an ETag and its writes check If-Match. */
export type Versioned<Key, View extends object> = {
  /** The name of the resource in a message, such as `Role 7`. */
  formatName: (key: Key) => string;
  /** Locks the resource and reads what its GET shows. Returns undefined if there is no such resource that the actor can read. */
  lock: (current: Change, key: Key) => Promise<View | undefined>;
  /** Fields that change although nobody edits the resource. If-Match ignores them, but If-None-Match does not. */
  derived: readonly (keyof View & string)[];
};

/** The fields that are needed to compute the ETag of a GET. */
export type Etagged<View extends object> = Pick<Versioned<never, View>, 'derived'>;

/** Returns the ETag of what a GET shows. */
export function computeEtag<View extends object>({ derived }: Etagged<View>, view: View): string {
  if (derived.length === 0) return makeEtag(view);
  const names: readonly string[] = derived;
  const content = Object.fromEntries(Object.entries(view).filter(([name]) => !names.includes(name)));
  return makeEtag(content, view);
}

/** The state that If-Match is compared with. */
export type Precondition = {
  /** The name of the resource in a message, such as `Role 7`. */
  resourceName: string;
  /** Locks the resource and returns the ETags of its current state. */
  readEtags: (current: Change) => Promise<string[]>;
};

/** Returns the precondition that a resource has not changed. */
export const requireUnchanged = <Key, View extends object>(
  resource: Versioned<Key, View>,
  key: Key,
): Precondition => ({
  resourceName: resource.formatName(key),
  readEtags: async current => {
    const view = await resource.lock(current, key);
    return view ? [computeEtag(resource, view)] : [];
  },
});
