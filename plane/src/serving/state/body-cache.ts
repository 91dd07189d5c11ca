import { SHARED } from './scope.ts';

/** The minimum size of an entry, for its key and its objects. */
const LEAST_BYTES = 500;

/** A body, and the ETag of the state that it was built from. */
type Entry = { etag: string; body: Buffer; owner: string };

export type BodyCache = {
  /**
   * The body of this key and ETag. If the cache does not have it, it is built once for everyone who needs it meanwhile. `owner`
   * is the token that needs the body, or SHARED.
   */
  get: <B extends Buffer | Promise<Buffer>>(
    key: string,
    etag: string,
    build: () => B,
    owner?: string,
  ) => Buffer | B;
  has: (key: string, etag: string) => boolean;
  readonly bytes: number;
};

/**
 * A copy of the body in separate memory. Node.js cuts small buffers out of blocks of 64 KB, so a cache of small bodies would keep
 * whole blocks alive: 100 times as much memory as it accounts for.
 */
function ownMemory(body: Buffer): Buffer {
  if (body.buffer.byteLength === body.length) return body;
  const own = Buffer.allocUnsafeSlow(body.length);
  body.copy(own);
  return own;
}

const sizeOf = ({ body }: Entry): number => Math.max(body.length, LEAST_BYTES);

/**
 * Bodies up to a number of bytes. If there are more, the token with the most bytes loses its least recently used body, so no
 * token displaces the bodies of others. Shared bodies are the last to be dropped. A dropped body is built again when it is
 * needed.
 */
export function makeBodyCache(mostBytes: number): BodyCache {
  /** By owner. An owner's last entry is the most recently used one. */
  const entries = new Map<string, Map<string, Entry>>();
  const owners = new Map<string, string>();
  const bytesOf = new Map<string, number>();
  const building = new Map<string, { etag: string; body: Promise<Buffer> }>();
  let bytes = 0;

  const count = (owner: string, by: number): void => {
    bytes += by;
    const own = (bytesOf.get(owner) ?? 0) + by;
    if (own > 0) bytesOf.set(owner, own);
    else bytesOf.delete(owner);
  };

  const find = (key: string): Entry | undefined => entries.get(owners.get(key) ?? '')?.get(key);

  const drop = (key: string, entry: Entry): void => {
    const own = entries.get(entry.owner);
    own?.delete(key);
    if (own?.size === 0) entries.delete(entry.owner);
    owners.delete(key);
    count(entry.owner, -sizeOf(entry));
  };

  const largestOwner = (): string => {
    let largest = SHARED;
    for (const [owner, own] of bytesOf)
      if (owner !== SHARED && own > (largest === SHARED ? 0 : (bytesOf.get(largest) ?? 0))) largest = owner;
    return largest;
  };

  /** Makes the entry the most recently used one. */
  const keep = (key: string, entry: Entry): void => {
    const known = find(key);
    if (known) drop(key, known);
    if (sizeOf(entry) > mostBytes) return;
    const own = entries.get(entry.owner) ?? new Map<string, Entry>();
    entries.set(entry.owner, own.set(key, entry));
    owners.set(key, entry.owner);
    count(entry.owner, sizeOf(entry));
    while (bytes > mostBytes) {
      const [oldest] = entries.get(largestOwner()) ?? [];
      if (!oldest) return;
      drop(...oldest);
    }
  };

  const keepBuilt = (key: string, etag: string, built: Buffer, owner: string): Buffer => {
    const body = ownMemory(built);
    keep(key, { etag, body, owner });
    return body;
  };

  const buildLater = (key: string, etag: string, built: Promise<Buffer>, owner: string): Promise<Buffer> => {
    const body = built
      .then(bytesBuilt => keepBuilt(key, etag, bytesBuilt, owner))
      .finally(() => {
        if (building.get(key)?.body === body) building.delete(key);
      });
    building.set(key, { etag, body });
    return body;
  };

  const get = (
    key: string,
    etag: string,
    build: () => Buffer | Promise<Buffer>,
    owner = SHARED,
  ): Buffer | Promise<Buffer> => {
    const known = find(key);
    if (known?.etag === etag) {
      keep(key, known);
      return known.body;
    }
    const started = building.get(key);
    if (started?.etag === etag) return started.body;
    const built = build();
    return Buffer.isBuffer(built) ? keepBuilt(key, etag, built, owner) : buildLater(key, etag, built, owner);
  };

  return {
    // A body that is built synchronously is returned synchronously.
    get: get as BodyCache['get'],
    has: (key, etag) => find(key)?.etag === etag || building.get(key)?.etag === etag,
    get bytes() {
      return bytes;
    },
  };
}
