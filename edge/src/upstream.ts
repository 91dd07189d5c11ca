import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { PATH_HEADER, type Sender } from '@halyard/plane/feed/feeds.ts';
import { parseFrame, type TokenFrame } from '@halyard/plane/feed/frames.ts';
import { type EdgeReport, EdgeReportResult } from '@halyard/plane/feed/report.ts';
import { readSigned } from '@halyard/plane/feed/signed.ts';
import {
  MAX_SIGNED_HEADER_BYTES,
  MAX_SNAPSHOT_BYTES,
  readHeader,
  type TrustedKeys,
} from '@halyard/plane/snapshot/format.ts';
import { Compile } from 'typebox/compile';

const TIMEOUT_MS = 10_000;
/** Counts that arrive during a report are written to disk only afterwards, so a report must be quick. */
const REPORT_TIMEOUT_MS = 5_000;
const SNAPSHOT_TIMEOUT_MS = 60_000;
/** Heads come every 3 s. */
const SILENT_AFTER_MS = 10_000;
const MAX_BLOCK_CHARACTERS = 2 * 1_024 * 1_024;
const MAX_TEXT_BYTES = 65_536;
const MAX_EXPLANATION_CHARACTERS = 300;

const compress = promisify<string, Buffer>(gzip);
const reportResultValidator = Compile(EdgeReportResult);

/** Thrown if upstream rejected the request. */
export class UpstreamError extends Error {
  readonly status: number;
  /** The start of the body: a signed revocation, or an error message from a server or a proxy. */
  readonly body: string;
  /** The message in the body, or an empty string if there is none. */
  readonly explanation: string;

  constructor(status: number, body: string) {
    const explanation = explanationIn(body);
    super(`Upstream responded with ${status}${explanation === '' ? '' : `: ${explanation}`}`);
    this.status = status;
    this.explanation = explanation;
    this.body = body;
  }
}

/** Returns the message in the body, because the operator who reads the log has to act on it. */
function explanationIn(body: string): string {
  try {
    const { message } = JSON.parse(body);
    return typeof message === 'string' ? message.slice(0, MAX_EXPLANATION_CHARACTERS) : '';
  } catch {
    return '';
  }
}

export type Upstream = {
  /** Reads the bytes of the snapshot, exactly as they were signed. */
  snapshot: () => Promise<Buffer>;
  /** Reads the head with its signature. */
  head: () => Promise<string>;
  /** Yields frames with their signatures, as they arrive. Ends with an error, or when the server ends the stream. */
  stream: (position: string | undefined, signal: AbortSignal) => AsyncGenerator<string>;
  /** Looks up what upstream knows about a token. */
  token: (hash: string) => Promise<SignedTokenFrame>;
  /** Sends this edge's report, or passes on another edge's. */
  report: (report: EdgeReport, sender?: Sender) => Promise<EdgeReportResult>;
};

/** A token frame with the text that a server signed. */
export type SignedTokenFrame = TokenFrame & { text: string };

export function makeUpstream(url: string, token: string, keys: () => TrustedKeys): Upstream {
  const request = async (path: string, init: RequestInit, withinMs: number): Promise<Response> => {
    const response = await fetch(`${url}/api/edge/v1/${path}`, {
      redirect: 'error',
      ...init,
      headers: { authorization: token, ...init.headers },
      signal: AbortSignal.any([AbortSignal.timeout(withinMs), ...(init.signal ? [init.signal] : [])]),
    });
    if (response.ok) return response;
    throw new UpstreamError(response.status, (await readAtMost(response, MAX_TEXT_BYTES)).toString());
  };

  return {
    snapshot: async () => await readSnapshot(await request('snapshot', {}, SNAPSHOT_TIMEOUT_MS), keys()),
    head: async () =>
      (await readAtMost(await request('head', {}, TIMEOUT_MS), MAX_TEXT_BYTES)).toString().trimEnd(),
    stream: async function* (position, signal) {
      const stop = new AbortController();
      const response = await connect(url, token, position, AbortSignal.any([signal, stop.signal]));
      let silenceTimer = setTimeout(() => stop.abort(), SILENT_AFTER_MS);
      try {
        let text = '';
        for await (const chunk of (response.body ?? new ReadableStream()).pipeThrough(
          new TextDecoderStream(),
        )) {
          clearTimeout(silenceTimer);
          silenceTimer = setTimeout(() => stop.abort(), SILENT_AFTER_MS);
          text += chunk;
          const blocks = text.split('\n\n');
          text = blocks.pop() ?? '';
          if (text.length > MAX_BLOCK_CHARACTERS) throw new Error('A stream event is too large');
          for (const block of blocks) {
            const frame = readData(block);
            if (frame !== '') yield frame;
          }
        }
      } finally {
        clearTimeout(silenceTimer);
        stop.abort();
      }
    },
    token: async hash => {
      const response = await request(`tokens/${hash}`, {}, TIMEOUT_MS);
      const text = (await readAtMost(response, MAX_TEXT_BYTES)).toString().trimEnd();
      const tokenFrame = parseFrame(readSigned(text, keys()));
      if (tokenFrame.log !== 'token' || tokenFrame.hash !== hash)
        throw new Error('The response is for a different token');
      return { ...tokenFrame, text };
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
      const result: unknown = JSON.parse((await readAtMost(response, MAX_TEXT_BYTES * 16)).toString());
      // A proxy in between may respond with 200, so counts are kept until a server confirms them.
      if (!reportResultValidator.Check(result))
        throw new Error('The response to the report did not come from a Halyard server');
      return result;
    },
  };
}

/** Reads a snapshot up to its signed size. Otherwise, a forged body, which can be compressed 1,000:1, could fill the memory. */
export async function readSnapshot(response: Response, keys: TrustedKeys): Promise<Buffer> {
  const maxFromStart = (start: Buffer): number | undefined => {
    if (start.length < MAX_SIGNED_HEADER_BYTES && start.indexOf('\n', start.indexOf('\n') + 1) < 0)
      return undefined;
    const { header, bodyOffset } = readHeader(start, keys);
    return Math.min(bodyOffset + header.bytes, MAX_SNAPSHOT_BYTES);
  };
  return await readAtMost(response, MAX_SNAPSHOT_BYTES, maxFromStart);
}

/** Waits only for the response headers, because a stream has no end. */
async function connect(
  url: string,
  token: string,
  position: string | undefined,
  signal: AbortSignal,
): Promise<Response> {
  const timeoutController = new AbortController();
  const timer = setTimeout(() => timeoutController.abort(new Error('Upstream does not respond')), TIMEOUT_MS);
  try {
    const response = await fetch(`${url}/api/edge/v1/stream`, {
      redirect: 'error',
      headers: {
        authorization: token,
        accept: 'text/event-stream',
        ...(position !== undefined && { 'last-event-id': position }),
      },
      signal: AbortSignal.any([signal, timeoutController.signal]),
    });
    if (response.ok) return response;
    throw new UpstreamError(response.status, (await readAtMost(response, MAX_TEXT_BYTES)).toString());
  } finally {
    clearTimeout(timer);
  }
}

/** Returns the data of a block of server-sent events. */
const readData = (block: string): string =>
  block
    .split('\n')
    .filter(line => line.startsWith('data: '))
    .map(line => line.slice('data: '.length))
    .join('\n');

/** Reads at most this many bytes, or as many as the start of the body allows, because the sender may not be a Halyard server. */
export async function readAtMost(
  response: Response,
  maxBytes: number,
  maxFromStart?: (start: Buffer) => number | undefined,
): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  let allowedBytes = maxFromStart === undefined ? maxBytes : undefined;
  for await (const chunk of response.body ?? new ReadableStream<Uint8Array>()) {
    length += chunk.length;
    chunks.push(chunk);
    allowedBytes ??= maxFromStart?.(Buffer.concat(chunks));
    if (length > (allowedBytes ?? maxBytes))
      throw new Error(`The response has more than ${allowedBytes ?? maxBytes} bytes`);
  }
  return Buffer.concat(chunks);
}
