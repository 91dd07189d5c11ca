import { SHARED } from './scope.ts';

/** The minimum size of an entry, for its key and its objects. */
const MIN_ENTRY_BYTES = 500;

/** A body, and the ETag of the state that it was built from. */
type Entry = { etag: string; body: Buffer; owner: string };

export type BodyCache = {
  /**
   * Returns the body for this key and ETag. A body that is not cached is built once, and all callers that request it during the
   * build get the result.
   * `owner` is the token that needs the body, or SHARED.
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
 * Copies the body to separate memory. Node.js cuts small buffers out of blocks of 64 KB, so a cache of small bodies would keep
 * whole blocks alive, which is 100 times as much memory as it accounts for.
 */
function copyToOwnMemory(body: Buffer): Buffer {
  if (body.buffer.byteLength === body.length) return body;
  const copy = Buffer.allocUnsafeSlow(body.length);
  body.copy(copy);
  return copy;
}

const getSize = ({ body }: Entry): number => Math.max(body.length, MIN_ENTRY_BYTES);

/**
 * Caches bodies up to a number of bytes. Above that, the token with the most bytes loses its least recently used body, so no
 * token displaces the bodies of others. Shared bodies are the last to be dropped. A dropped body is built again when it is
 * needed.
 */
export function makeBodyCache(maxBytes: number): BodyCache {
  /** The entries by owner. An owner's last entry is the most recently used one. */
  const entries = new Map<string, Map<string, Entry>>();
  const ownerByKey = new Map<string, string>();
  const bytesByOwner = new Map<string, number>();
  const builds = new Map<string, { etag: string; body: Promise<Buffer> }>();
  let bytes = 0;

  const addBytes = (owner: string, difference: number): void => {
    bytes += difference;
    const ownerBytes = (bytesByOwner.get(owner) ?? 0) + difference;
    if (ownerBytes > 0) bytesByOwner.set(owner, ownerBytes);
    else bytesByOwner.delete(owner);
  };

  const find = (key: string): Entry | undefined => entries.get(ownerByKey.get(key) ?? '')?.get(key);

  const drop = (key: string, entry: Entry): void => {
    const ownEntries = entries.get(entry.owner);
    ownEntries?.delete(key);
    if (ownEntries?.size === 0) entries.delete(entry.owner);
    ownerByKey.delete(key);
    addBytes(entry.owner, -getSize(entry));
  };

  const largestOwner = (): string => {
    let largest = SHARED;
    for (const [owner, ownerBytes] of bytesByOwner)
      if (owner !== SHARED && ownerBytes > (largest === SHARED ? 0 : (bytesByOwner.get(largest) ?? 0)))
        largest = owner;
    return largest;
  };

  /** Makes the entry the most recently used one. */
  const store = (key: string, entry: Entry): void => {
    const existing = find(key);
    if (existing) drop(key, existing);
    if (getSize(entry) > maxBytes) return;
    const ownEntries = entries.get(entry.owner) ?? new Map<string, Entry>();
    entries.set(entry.owner, ownEntries.set(key, entry));
    ownerByKey.set(key, entry.owner);
    addBytes(entry.owner, getSize(entry));
    while (bytes > maxBytes) {
      const [oldest] = entries.get(largestOwner()) ?? [];
      if (!oldest) return;
      drop(...oldest);
    }
  };

  const storeBuilt = (key: string, etag: string, builtBody: Buffer, owner: string): Buffer => {
    const body = copyToOwnMemory(builtBody);
    store(key, { etag, body, owner });
    return body;
  };

  const storeWhenBuilt = (
    key: string,
    etag: string,
    buildPromise: Promise<Buffer>,
    owner: string,
  ): Promise<Buffer> => {
    const body = buildPromise
      .then(builtBody => storeBuilt(key, etag, builtBody, owner))
      .finally(() => {
        if (builds.get(key)?.body === body) builds.delete(key);
      });
    builds.set(key, { etag, body });
    return body;
  };

  const get = (
    key: string,
    etag: string,
    build: () => Buffer | Promise<Buffer>,
    owner = SHARED,
  ): Buffer | Promise<Buffer> => {
    const cached = find(key);
    if (cached?.etag === etag) {
      store(key, cached);
      return cached.body;
    }
    const pendingBuild = builds.get(key);
    if (pendingBuild?.etag === etag) return pendingBuild.body;
    const builtBody = build();
    return Buffer.isBuffer(builtBody)
      ? storeBuilt(key, etag, builtBody, owner)
      : storeWhenBuilt(key, etag, builtBody, owner);
  };

  return {
    // A body that is built synchronously is returned synchronously.
    get: get as BodyCache['get'],
    has: (key, etag) => find(key)?.etag === etag || builds.get(key)?.etag === etag,
    get bytes() {
      return bytes;
    },
  };
}
