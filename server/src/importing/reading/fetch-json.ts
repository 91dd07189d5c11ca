import { SourceError } from './source-error.ts';

export type JsonRequest = {
  /** The name of the product that sends the response, for error messages. */
  product: string;
  method?: 'GET' | 'POST';
  headers: Record<string, string>;
  body?: object;
  timeoutSeconds: number;
};

/** The status, and the parsed body of a successful response. */
export type JsonResponse = { status: number; body: unknown };

/** Larger than any response from an instance with 10,000 flags, and small enough to hold in memory. */
const MAX_RESPONSE_BYTES = 100_000_000;

/** Sends a request to the product that flags are imported from. Every error message says what to do. */
export async function fetchJson(url: URL, request: JsonRequest): Promise<JsonResponse> {
  try {
    return await send(url, request);
  } catch (error) {
    if ((request.method ?? 'GET') !== 'GET' || !isConnectionLost(error))
      throw explainError(url, request, error);
  }
  // The server may have closed a connection that was idle while flags were evaluated, so a lost connection is retried once.
  try {
    return await send(url, request);
  } catch (error) {
    throw explainError(url, request, error);
  }
}

const isConnectionLost = (error: unknown): boolean =>
  error instanceof Error &&
  error.cause instanceof Error &&
  'code' in error.cause &&
  (error.cause.code === 'UND_ERR_SOCKET' || error.cause.code === 'ECONNRESET');

async function send(url: URL, request: JsonRequest): Promise<JsonResponse> {
  const { product, method = 'GET', headers, body, timeoutSeconds } = request;
  const response = await fetch(url, {
    method,
    headers: {
      accept: 'application/json',
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    // A redirect could lead to a login page, or to a server that must not get the token.
    redirect: 'manual',
    signal: AbortSignal.timeout(timeoutSeconds * 1_000),
  });
  if (response.status >= 300 && response.status < 400)
    throw new SourceError(
      `${product} redirects ${url.origin}. Use the URL that it redirects to${describeRedirect(response)}.`,
    );
  const text = await readText(response, product);
  return { status: response.status, body: response.ok ? parseJson(text, product, url) : undefined };
}

const explainError = (
  { origin }: URL,
  { product, timeoutSeconds }: JsonRequest,
  error: unknown,
): SourceError =>
  error instanceof SourceError
    ? error
    : new SourceError(
        `Cannot read ${product} at ${origin}: ${describeFailure(error as Error, timeoutSeconds)}. Check the URL, and that the server is running.`,
      );

const describeRedirect = (response: Response): string => {
  const origin = URL.parse(response.headers.get('location') ?? '')?.origin;
  return origin === undefined ? '' : `: ${origin}`;
};

/** Reads at most `MAX_RESPONSE_BYTES`, because a body can be endless or decompress to more than fits in memory. */
async function readText(response: Response, product: string): Promise<string> {
  const parts: Uint8Array[] = [];
  let bytes = 0;
  for await (const part of response.body ?? []) {
    bytes += part.length;
    if (bytes > MAX_RESPONSE_BYTES)
      throw new SourceError(
        `A response from ${product} is larger than ${MAX_RESPONSE_BYTES.toLocaleString('en')} bytes.`,
      );
    parts.push(part);
  }
  return Buffer.concat(parts).toString('utf8');
}

function parseJson(text: string, product: string, { origin, pathname }: URL): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new SourceError(
      `${product} responded to ${origin}${pathname} with something other than JSON. Check the URL.`,
    );
  }
}

function describeFailure(error: Error, timeoutSeconds: number): string {
  if (error.name === 'TimeoutError') return `no complete response within ${timeoutSeconds} seconds`;
  const { cause } = error;
  // Without a cause, the error is about the request itself, and its message can quote the token or the password.
  if (!(cause instanceof Error)) return 'the URL or a header of the request is invalid';
  const code = 'code' in cause ? String(cause.code) : '';
  // OpenSSL's message consists of several lines with addresses and file names.
  if (code.startsWith('ERR_SSL')) return `the TLS connection failed (${code})`;
  return cause.message || code || error.message;
}
