import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Db, Tx } from '../platform/db/database.ts';
import { ifMatches, makeEtag, unlessKnown } from '../platform/http/etag.ts';
import { type Change, change } from './change.ts';

/** A resource that several people edit, so that its GET has an ETag and its writes check If-Match. */
export type Versioned<Key, Shown extends object> = {
  /** The resource in a message: `Role 7`. */
  nameOf: (key: Key) => string;
  /** Locks the resource and reads it as its GET shows it. Undefined if the actor cannot read such a resource. */
  lock: (current: Change, key: Key) => Promise<Shown | undefined>;
  /** Fields that change when nobody edits the resource. If-Match ignores them, and If-None-Match does not. */
  derived: readonly (keyof Shown & string)[];
};

/** The part of it that the ETag of a GET depends on. */
export type Etagged<Shown extends object> = Pick<Versioned<never, Shown>, 'derived'>;

/** The ETag of what a GET shows. */
export function etagOf<Shown extends object>({ derived }: Etagged<Shown>, shown: Shown): string {
  if (derived.length === 0) return makeEtag(shown);
  const names: readonly string[] = derived;
  const content = Object.fromEntries(Object.entries(shown).filter(([name]) => !names.includes(name)));
  return makeEtag(content, shown);
}

/** Sends what a GET shows, with its ETag; 304 if the caller has it. `body` is the response if it is only a part of `shown`. */
export const sendVersion = <Shown extends object, Body = Shown>(
  request: FastifyRequest,
  reply: FastifyReply,
  resource: Etagged<Shown>,
  shown: Shown,
  body: Body = shown as unknown as Body, // Without a body of its own, the response is what is shown.
): Body | FastifyReply => unlessKnown(request, reply, etagOf(resource, shown), body);

/** What If-Match is compared with. */
export type Precondition = {
  /** The resource in a message: `Role 7`. */
  what: string;
  /** Locks the resource and returns the ETags that name its current state. */
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

/** A change of the resource, which is rejected with 412 if If-Match names an earlier version of it. */
export const changeVersion = <Key, Shown extends object, Result, Response = Result>(
  db: Db,
  request: FastifyRequest,
  resource: Versioned<Key, Shown>,
  key: Key,
  work: (current: Change) => Promise<Result>,
  // Without it, the response is the result.
  respond: (tx: Tx, result: Result) => Promise<Response> = async (_, result) => result as unknown as Response,
): Promise<Response> => {
  const { what, readEtags } = unchanged(resource, key);
  return change(
    db,
    request.actor,
    current =>
      ifMatches(
        request,
        what,
        () => readEtags(current),
        () => work(current),
      ),
    respond,
  );
};
