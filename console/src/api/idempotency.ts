/**
 * The session storage item that maps a hash of each unfinished write to its idempotency key. The keys survive a reload, because
 * the user may cancel a write and repeat it, or reload the page before the response arrives.
 */
const STORAGE_KEY = 'halyard-unfinished-writes';
const MAX_UNFINISHED = 50;

/**
 * Returns the idempotency key of a write. Repeating an unfinished write reuses its key, because the server may already have
 * carried it out. Call `release` when the response arrives.
 */
export async function acquireIdempotencyKey(request: Request): Promise<{ value: string; release(): void }> {
  const writeHash = computeHash(
    [request.method, request.url, request.headers.get('If-Match'), await request.clone().text()].join('\n'),
  );
  const value = read()[writeHash] ?? generateKey();
  save({ ...read(), [writeHash]: value });
  return {
    value,
    release: () => {
      const { [writeHash]: _released, ...others } = read();
      save(others);
    },
  };
}

// Not crypto.randomUUID, which exists only over HTTPS and on localhost.
const generateKey = (): string =>
  [...crypto.getRandomValues(new Uint32Array(4))].map(part => part.toString(36)).join('-');

function read(): Record<string, string> {
  try {
    return JSON.parse(sessionStorage.getItem(STORAGE_KEY) ?? '{}');
  } catch {
    return {};
  }
}

function save(keys: Record<string, string>): void {
  try {
    sessionStorage.setItem(
      STORAGE_KEY,
      JSON.stringify(Object.fromEntries(Object.entries(keys).slice(-MAX_UNFINISHED))),
    );
  } catch {
    // If the storage is full or blocked, only the retries of one request share the key.
  }
}

/**
 * Returns a hash without crypto.subtle, which needs HTTPS. If two writes had the same hash, the server would reject the second
 * with 422, so a collision is harmless.
 */
function computeHash(text: string): string {
  let [a, b] = [0x811c9dc5, 0x9e3779b1];
  for (let index = 0; index < text.length; index++) {
    a = Math.imul(a ^ text.charCodeAt(index), 0x01000193);
    b = Math.imul(b ^ text.charCodeAt(index), 0x85ebca6b);
  }
  // The leading letter keeps the insertion order, because objects sort numeric keys.
  return `w${(a >>> 0).toString(36)}-${(b >>> 0).toString(36)}-${text.length}`;
}
