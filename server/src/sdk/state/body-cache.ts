/** The least that an entry takes, for its key and its objects. */
const LEAST_BYTES = 500;

/** A body, and the ETag of the state that it was built from. */
type Entry = { etag: string; body: Buffer };

export type BodyCache = {
  /** The body of this key and ETag, built if the cache does not have it. */
  get: (key: string, etag: string, build: () => Buffer) => Buffer;
  readonly bytes: number;
};

/**
 * The body in memory of its own. Node.js cuts small buffers out of blocks of 64 KB: a cache of small bodies would keep whole blocks,
 * which was 100 times as much as it counted.
 */
function ownMemory(body: Buffer): Buffer {
  if (body.buffer.byteLength === body.length) return body;
  const own = Buffer.allocUnsafeSlow(body.length);
  body.copy(own);
  return own;
}

const sizeOf = ({ body }: Entry): number => Math.max(body.length, LEAST_BYTES);

/** Bodies up to a number of bytes. The body that was used longest ago is dropped first, and built again when it is needed. */
export function makeBodyCache(mostBytes: number): BodyCache {
  const entries = new Map<string, Entry>();
  let bytes = 0;
  const drop = (key: string, entry: Entry) => {
    entries.delete(key);
    bytes -= sizeOf(entry);
  };
  return {
    get: (key, etag, build) => {
      const known = entries.get(key);
      if (known) drop(key, known);
      const entry = known?.etag === etag ? known : { etag, body: ownMemory(build()) };
      if (sizeOf(entry) > mostBytes) return entry.body;
      // The last entry is the one that was used last.
      entries.set(key, entry);
      bytes += sizeOf(entry);
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
