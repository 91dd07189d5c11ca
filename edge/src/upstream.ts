import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { Compile } from 'typebox/compile';
import { PATH_HEADER, type Sender } from '../../plane/src/feed/feeds.ts';
import { frameOf, type TokenAnswer } from '../../plane/src/feed/frames.ts';
import { type EdgeReport, EdgeReportResult } from '../../plane/src/feed/report.ts';
import { readSigned } from '../../plane/src/feed/signed.ts';
import {
  MAX_SNAPSHOT_BYTES,
  MAX_START_BYTES,
  readHeader,
  type TrustedKeys,
} from '../../plane/src/snapshot/format.ts';

const TIMEOUT_MS = 10_000;
/** Counts that arrive during a report are written to disk only after it, so it must not take long. */
const REPORT_TIMEOUT_MS = 5_000;
const SNAPSHOT_TIMEOUT_MS = 60_000;
/** Heads come every 3 s. */
const SILENT_AFTER_MS = 10_000;
const MAX_BLOCK_CHARACTERS = 2 * 1_024 * 1_024;
const MAX_TEXT_BYTES = 65_536;
const MAX_EXPLANATION = 300;

const compress = promisify<string, Buffer>(gzip);
const isResult = Compile(EdgeReportResult);

/** Upstream rejected the request. */
export class UpstreamError extends Error {
  readonly status: number;
  /** The start of the body: a signed revocation, or the message of a server or of a proxy. */
  readonly body: string;
  /** The message in the body. Empty if there is none. */
  readonly explanation: string;

  constructor(status: number, body: string) {
    const explanation = explanationIn(body);
    super(`Upstream responded with ${status}${explanation === '' ? '' : `: ${explanation}`}`);
    this.status = status;
    this.explanation = explanation;
    this.body = body;
  }
}

/** The message of a server, for the log of the operator who has to act on it. */
function explanationIn(body: string): string {
  try {
    const { message } = JSON.parse(body);
    return typeof message === 'string' ? message.slice(0, MAX_EXPLANATION) : '';
  } catch {
    return '';
  }
}

export type Upstream = {
  /** The bytes of the snapshot, as they were signed. */
  snapshot: () => Promise<Buffer>;
  /** The head with its signature. */
  head: () => Promise<string>;
  /** Frames with their signatures, as they arrive. Ends with an error, or when the server ends the stream. */
  stream: (position: string | undefined, signal: AbortSignal) => AsyncGenerator<string>;
  /** What upstream knows about a token. */
  token: (hash: string) => Promise<SignedAnswer>;
  /** Sends the report of this edge, or passes on the one of a different edge. */
  report: (report: EdgeReport, sender?: Sender) => Promise<EdgeReportResult>;
};

/** With the text that a server signed. */
export type SignedAnswer = TokenAnswer & { text: string };

export function makeUpstream(url: string, token: string, keys: () => TrustedKeys): Upstream {
  const request = async (path: string, init: RequestInit, withinMs: number): Promise<Response> => {
    const response = await fetch(`${url}/api/edge/v1/${path}`, {
      redirect: 'error',
      ...init,
      headers: { authorization: token, ...init.headers },
      signal: AbortSignal.any([AbortSignal.timeout(withinMs), ...(init.signal ? [init.signal] : [])]),
    });
    if (response.ok) return response;
    throw new UpstreamError(response.status, (await read(response, MAX_TEXT_BYTES)).toString());
  };

  return {
    snapshot: async () => await readSnapshot(await request('snapshot', {}, SNAPSHOT_TIMEOUT_MS), keys()),
    head: async () =>
      (await read(await request('head', {}, TIMEOUT_MS), MAX_TEXT_BYTES)).toString().trimEnd(),
    stream: async function* (position, signal) {
      const stop = new AbortController();
      const response = await connect(url, token, position, AbortSignal.any([signal, stop.signal]));
      let silent = setTimeout(() => stop.abort(), SILENT_AFTER_MS);
      try {
        let text = '';
        for await (const chunk of (response.body ?? new ReadableStream()).pipeThrough(
          new TextDecoderStream(),
        )) {
          clearTimeout(silent);
          silent = setTimeout(() => stop.abort(), SILENT_AFTER_MS);
          text += chunk;
          const blocks = text.split('\n\n');
          text = blocks.pop() ?? '';
          if (text.length > MAX_BLOCK_CHARACTERS) throw new Error('An event of the stream is too large');
          for (const block of blocks) {
            const frame = dataOf(block);
            if (frame !== '') yield frame;
          }
        }
      } finally {
        clearTimeout(silent);
        stop.abort();
      }
    },
    token: async hash => {
      const response = await request(`tokens/${hash}`, {}, TIMEOUT_MS);
      const text = (await read(response, MAX_TEXT_BYTES)).toString().trimEnd();
      const answer = frameOf(readSigned(text, keys()));
      if (answer.log !== 'token' || answer.hash !== hash)
        throw new Error('The response is about another token');
      return { ...answer, text };
    },
    report: async (report, sender) => {
      const body = await compress(JSON.stringify(report));
      const headers = {
        'content-type': 'application/json',
        'content-encoding': 'gzip',
        ...(sender && { authorization: sender.secret, [PATH_HEADER]: sender.path.join() }),
      };
      const response = await request(
        'report',
        { method: 'POST', headers, body: new Uint8Array(body) },
        REPORT_TIMEOUT_MS,
      );
      const result: unknown = JSON.parse((await read(response, MAX_TEXT_BYTES * 16)).toString());
      // A proxy in between may respond with 200, so counts are kept until a server confirms them.
      if (!isResult.Check(result))
        throw new Error('The response to the report did not come from a Halyard server');
      return result;
    },
  };
}

/** The bytes of a snapshot. An unsigned body could fill the memory, because compressed it can be a thousand times smaller. */
export async function readSnapshot(response: Response, keys: TrustedKeys): Promise<Buffer> {
  const mostIn = (start: Buffer): number | undefined => {
    if (start.length < MAX_START_BYTES && start.indexOf('\n', start.indexOf('\n') + 1) < 0) return undefined;
    const { header, bodyAt } = readHeader(start, keys);
    return Math.min(bodyAt + header.bytes, MAX_SNAPSHOT_BYTES);
  };
  return await read(response, MAX_SNAPSHOT_BYTES, mostIn);
}

/** Waits only for the response headers, because a stream has no end. */
async function connect(
  url: string,
  token: string,
  position: string | undefined,
  signal: AbortSignal,
): Promise<Response> {
  const late = new AbortController();
  const timer = setTimeout(() => late.abort(new Error('Upstream does not respond')), TIMEOUT_MS);
  try {
    const response = await fetch(`${url}/api/edge/v1/stream`, {
      redirect: 'error',
      headers: {
        authorization: token,
        accept: 'text/event-stream',
        ...(position !== undefined && { 'last-event-id': position }),
      },
      signal: AbortSignal.any([signal, late.signal]),
    });
    if (response.ok) return response;
    throw new UpstreamError(response.status, (await read(response, MAX_TEXT_BYTES)).toString());
  } finally {
    clearTimeout(timer);
  }
}

/** The data of a block of server-sent events. */
const dataOf = (block: string): string =>
  block
    .split('\n')
    .filter(line => line.startsWith('data: '))
    .map(line => line.slice('data: '.length))
    .join('\n');

/** Reads at most this many bytes, or as many as the start of the body allows, because the sender may not be one of our servers. */
async function read(
  response: Response,
  most: number,
  mostIn?: (start: Buffer) => number | undefined,
): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  let allowed = mostIn === undefined ? most : undefined;
  for await (const chunk of response.body ?? new ReadableStream<Uint8Array>()) {
    length += chunk.length;
    chunks.push(chunk);
    allowed ??= mostIn?.(Buffer.concat(chunks));
    if (length > (allowed ?? most)) throw new Error(`The response has more than ${allowed ?? most} bytes`);
  }
  return Buffer.concat(chunks);
}
