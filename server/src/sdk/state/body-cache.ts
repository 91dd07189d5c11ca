/** A body, and the ETag of the state that it was built from. */
type Entry = { etag: string; body: Buffer };

export type BodyCache = {
  /** The body of this key and ETag, built if the cache does not have it. */
  get: (key: string, etag: string, build: () => Buffer) => Buffer;
  readonly bytes: number;
};

/** Bodies up to a number of bytes. The body that was used longest ago is dropped first, and built again when it is needed. */
export function makeBodyCache(mostBytes: number): BodyCache {
  const entries = new Map<string, Entry>();
  let bytes = 0;
  const drop = (key: string, { body }: Entry) => {
    entries.delete(key);
    bytes -= body.length;
  };
  return {
    get: (key, etag, build) => {
      const known = entries.get(key);
      if (known) drop(key, known);
      const entry = known?.etag === etag ? known : { etag, body: build() };
      if (entry.body.length > mostBytes) return entry.body;
      // The last entry is the one that was used last.
      entries.set(key, entry);
      bytes += entry.body.length;
      for (const [oldest, old] of entries) {
        if (bytes <= mostBytes) break;
        drop(oldest, old);
      }
      return entry.body;
    },
    get bytes() {
      return bytes;
    },
  };
}
