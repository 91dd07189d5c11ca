/**
 * Keys of writes without a response, by a hash of the write. The user may cancel a write and repeat it, or reload the page
 * before the response arrives, so the tab keeps them.
 */
const STORED = 'halyard-unfinished-writes';
const MAX_UNFINISHED = 50;

/**
 * The idempotency key of a write. A write that equals one without a response gets the same key, because the server may have
 * carried it out. `release` follows the response.
 */
export async function keyFor(request: Request): Promise<{ value: string; release(): void }> {
  const write = hashOf(
    [request.method, request.url, request.headers.get('If-Match'), await request.clone().text()].join('\n'),
  );
  const value = read()[write] ?? newKey();
  save({ ...read(), [write]: value });
  return {
    value,
    release: () => {
      const { [write]: _released, ...others } = read();
      save(others);
    },
  };
}

// crypto.randomUUID exists only over https and on localhost.
const newKey = (): string =>
  [...crypto.getRandomValues(new Uint32Array(4))].map(part => part.toString(36)).join('-');

function read(): Record<string, string> {
  try {
    return JSON.parse(sessionStorage.getItem(STORED) ?? '{}');
  } catch {
    return {};
  }
}

function save(keys: Record<string, string>): void {
  try {
    sessionStorage.setItem(
      STORED,
      JSON.stringify(Object.fromEntries(Object.entries(keys).slice(-MAX_UNFINISHED))),
    );
  } catch {
    // Without storage, only the retries of one request share a key.
  }
}

/** A hash that needs no https. Two writes with one hash would get 422 from the server, so a collision changes nothing. */
function hashOf(text: string): string {
  let [a, b] = [0x811c9dc5, 0x9e3779b1];
  for (let at = 0; at < text.length; at++) {
    a = Math.imul(a ^ text.charCodeAt(at), 0x01000193);
    b = Math.imul(b ^ text.charCodeAt(at), 0x85ebca6b);
  }
  // The letter keeps the order of insertion, which an object does not keep for numbers.
  return `w${(a >>> 0).toString(36)}-${(b >>> 0).toString(36)}-${text.length}`;
}
