import { BoundedMap } from '@halyard/plane/platform/bounded-map.ts';
import { truncate } from '@halyard/plane/platform/text.ts';
import { type Agent, request } from 'undici';
import { isPublicAddress, type TargetPolicy } from './address.ts';
import { DisallowedTargetError, makeSafeAgent, type Resolve, resolveBySystem } from './connect.ts';
import { findTargetProblem } from './target.ts';

export type OutgoingRequest = {
  /** POST by default. A GET has no body. */
  method?: 'GET';
  url: string;
  headers: Record<string, string>;
  body: string | Buffer;
  totalMs?: number;
};

export type Failure = 'disallowed' | 'timeout' | 'dns' | 'tls' | 'connection';

/** The outcome of one request: a response with a status, or the reason why there is none. */
export type OutgoingResponse = {
  status: number | null;
  failure: Failure | null;
  error: string | null;
  address: string | null;
  /** The first characters of the body. */
  text: string;
  /** Whether the body may be stored. The body from a private target could disclose data from the internal network. */
  isPublic: boolean;
  retryAfter: string | null;
  headers: Record<string, string>;
};

export type Send = (request: OutgoingRequest) => Promise<OutgoingResponse>;

export type Sender = { send: Send; close: () => Promise<void> };

const TOTAL_MS = 15_000;
const FIRST_BYTE_MS = 10_000;
const MAX_RESPONSE_BYTES = 65_536;
const STORED_CHARACTERS = 4_096;
const MAX_HEADERS = 20;
const MAX_HEADER_CHARACTERS = 8_192;
const MAX_HOSTS = 10_000;

/** Sends HTTP requests to URLs chosen by users. It rejects private IP addresses, follows no redirects, and limits time and size. */
export function makeSender(policy: TargetPolicy, resolve: Resolve = resolveBySystem): Sender {
  // There are about as many hosts as integrations. The limit is a safeguard.
  const addresses = new BoundedMap<string, string>(MAX_HOSTS);
  const agent = makeSafeAgent(policy, resolve, (host, address) => {
    addresses.set(host, address);
  });
  return {
    send: outgoing => send(agent, policy, addresses, outgoing),
    close: async () => await agent.destroy(),
  };
}

async function send(
  agent: Agent,
  policy: TargetPolicy,
  addresses: Map<string, string>,
  outgoing: OutgoingRequest,
): Promise<OutgoingResponse> {
  const emptyResponse: OutgoingResponse = {
    status: null,
    failure: null,
    error: null,
    address: null,
    text: '',
    isPublic: false,
    retryAfter: null,
    headers: {},
  };
  const problem = findTargetProblem(outgoing.url, policy);
  if (problem !== undefined)
    return { ...emptyResponse, failure: 'disallowed', error: `The URL ${problem}`.replace(/\.?$/, '.') };
  try {
    const response = await request(outgoing.url, {
      method: outgoing.method ?? 'POST',
      headers: outgoing.headers,
      body: outgoing.method === 'GET' ? null : outgoing.body,
      dispatcher: agent,
      headersTimeout: FIRST_BYTE_MS,
      bodyTimeout: FIRST_BYTE_MS,
      // No other limit catches a body that is sent byte by byte.
      signal: AbortSignal.timeout(outgoing.totalMs ?? TOTAL_MS),
    });
    const address = addresses.get(new URL(outgoing.url).hostname) ?? null;
    const text = await readBeginning(response.body);
    return {
      ...emptyResponse,
      status: response.statusCode,
      address,
      text,
      isPublic: address !== null && isPublicAddress(address),
      retryAfter: firstValue(response.headers['retry-after']),
      headers: selectHeaders(response.headers),
    };
  } catch (error) {
    return { ...emptyResponse, ...explain(error) };
  }
}

const firstValue = (header: string | string[] | undefined): string | null =>
  (Array.isArray(header) ? header[0] : header) ?? null;

/** Selects the headers to store: the first 20, and at most 8 KiB. Cookies are omitted, because they can be credentials. */
function selectHeaders(headers: Record<string, string | string[] | undefined>): Record<string, string> {
  const selectedHeaders: Record<string, string> = {};
  let size = 0;
  const entries = Object.entries(headers).filter(([name]) => name !== 'set-cookie');
  for (const [name, value] of entries.slice(0, MAX_HEADERS)) {
    const text = String(value);
    size += name.length + text.length;
    if (size > MAX_HEADER_CHARACTERS) break;
    selectedHeaders[name] = text;
  }
  return selectedHeaders;
}

/** Stops reading at the limit and returns the first characters. */
async function readBeginning(body: AsyncIterable<Buffer> & { destroy: () => void }): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of body) {
    chunks.push(chunk);
    size += chunk.length;
    if (size > MAX_RESPONSE_BYTES) break;
  }
  return truncate(Buffer.concat(chunks).toString('utf8'), STORED_CHARACTERS);
}

const DNS = /^(ENOTFOUND|EAI_|ENODATA|ESERVFAIL)/;
const TLS = /^(ERR_TLS|ERR_SSL|CERT_|UNABLE_TO|SELF_SIGNED|DEPTH_ZERO|EPROTO|HOSTNAME_MISMATCH|INVALID_CA)/;

/** Messages for the error codes of Node, OpenSSL and undici. The first match applies. */
const ERROR_MESSAGES: [RegExp, Failure, string][] = [
  [/TIMEOUT|ETIMEDOUT|TimeoutError/, 'timeout', 'The receiver did not respond in time.'],
  [DNS, 'dns', "The receiver's host name could not be resolved."],
  [/CERT_HAS_EXPIRED/, 'tls', "The receiver's certificate has expired."],
  [/CERT_NOT_YET_VALID/, 'tls', "The receiver's certificate is not valid yet."],
  [/CERT_REVOKED/, 'tls', "The receiver's certificate was revoked."],
  [/ALTNAME|HOSTNAME_MISMATCH/, 'tls', "The receiver's certificate is for a different host name."],
  [/SELF_SIGNED|DEPTH_ZERO/, 'tls', "The receiver's certificate is self-signed."],
  [
    /UNABLE_TO|INVALID_CA|CERT_/,
    'tls',
    "The receiver's certificate is not signed by a known certificate authority.",
  ],
  [TLS, 'tls', 'The TLS handshake with the receiver failed.'],
  [/ECONNREFUSED/, 'connection', 'The receiver does not accept connections (ECONNREFUSED).'],
  [/EHOSTUNREACH|ENETUNREACH|EADDRNOTAVAIL/, 'connection', 'The receiver could not be reached.'],
  [/HEADERS_OVERFLOW|^HPE_HEADER/, 'connection', 'The response headers are too large.'],
  [/^HPE_|HTTPParserError/, 'connection', 'The response was not valid HTTP.'],
  [
    /ECONNRESET|EPIPE|UND_ERR_SOCKET|UND_ERR_CLOSED|UND_ERR_RES_CONTENT_LENGTH/,
    'connection',
    'The receiver closed the connection before it responded.',
  ],
  [/^UND_ERR_INVALID_ARG|UND_ERR_NOT_SUPPORTED/, 'connection', 'The configured request could not be sent.'],
];

function explain(reason: unknown): { failure: Failure; error: string } {
  const error = reason as NodeJS.ErrnoException;
  if (error instanceof DisallowedTargetError) return { failure: 'disallowed', error: error.message };
  const code = error.code === undefined || error.name === 'TimeoutError' ? error.name : String(error.code);
  const [, failure, message] = ERROR_MESSAGES.find(([pattern]) => pattern.test(code)) ?? [];
  return { failure: failure ?? 'connection', error: message ?? 'The connection to the receiver failed.' };
}
