import { createHash, sign, verify } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import { promisify } from 'node:util';
import { type Static, Type } from 'typebox';
import { Compile } from 'typebox/compile';
import type { FeatureRow, SegmentRow, TokenRow } from '../serving/source.ts';
import type { SigningKey } from './keys.ts';

/** The unit of distribution: the flags of some projects in one environment, or of all projects if `projects` is null. */
export type Feed = { environment: string; projects: string[] | null };

/** Everything needed to serve a feed's SDKs, at one revision. See docs/reference/snapshot.md. */
export type Snapshot = {
  feed: Feed;
  /** The history that the revisions belong to. */
  epoch: string;
  revision: number;
  /** The time at which this was the newest state. */
  takenAt: string;
  completeSince: number;
  origins: string[];
  tokenRevision: number;
  tokens: TokenRow[];
  /** Hashes of tokens that were revoked or have expired, so that SDKs that send them get 401 rather than 503. */
  endedTokens: string[];
  features: FeatureRow[];
  segments: SegmentRow[];
};

export const VERSION = 1;
export const MAX_SNAPSHOT_BYTES = 512 * 1_024 * 1_024;
const MAX_HEADER_BYTES = 65_536;
/** The number of rows to write before other requests get a turn. */
const ROWS_PER_TURN = 500;
const NEWLINE = 0x0a;

/** A file cannot be used as a snapshot. The message says why. */
export class SnapshotError extends Error {}

/** The snapshot is signed with an untrusted key. */
export class UntrustedKeyError extends SnapshotError {}

export const Count = Type.Integer({ minimum: 0 });
const NullableText = Type.Union([Type.String(), Type.Null()]);
export const FeedSchema = Type.Object({
  environment: Type.String({ minLength: 1 }),
  projects: Type.Union([Type.Array(Type.String()), Type.Null()]),
});
export const TokenSchema = Type.Object({
  id: Type.Integer(),
  hash: Type.String({ pattern: '^[0-9a-f]{64}$' }),
  type: Type.String(),
  environment: NullableText,
  projects: Type.Union([Type.Array(Type.String()), Type.Null()]),
  expiresAt: Type.Union([Type.Number(), Type.Null()]),
});
export const FeatureSchema = Type.Object({
  project: Type.String(),
  name: Type.String(),
  revision: Count,
  document: NullableText,
  segments: Type.Array(Type.Integer()),
  tags: Type.Array(Type.String()),
});
export const SegmentSchema = Type.Object({ id: Type.Integer(), revision: Count, document: NullableText });
const Header = Type.Object({
  v: Type.Literal(VERSION),
  feed: FeedSchema,
  epoch: Type.String(),
  revision: Count,
  takenAt: Type.String({ format: 'date-time' }),
  bytes: Count,
  sha256: Type.String({ pattern: '^[0-9a-f]{64}$' }),
});
const Body = Type.Object({
  completeSince: Count,
  origins: Type.Array(Type.String()),
  tokenRevision: Count,
  tokens: Type.Array(TokenSchema),
  endedTokens: Type.Array(Type.String()),
  features: Type.Array(FeatureSchema),
  segments: Type.Array(SegmentSchema),
});
const headerValidator = Compile(Header);
const laterVersionValidator = Compile(Type.Object({ v: Type.Integer({ exclusiveMinimum: VERSION }) }));
const bodyValidator = Compile(Body);

const signBytes = promisify<null, Buffer, SigningKey['privateKey'], Buffer>(sign);

/**
 * Encodes a snapshot in parts: a line with its header, a line with the signature of the header, and its body. The rows are
 * encoded in several turns of the event loop, because 100,000 flags would block it for half a second.
 */
export async function encodeSnapshot(snapshot: Snapshot, key: SigningKey): Promise<Buffer[]> {
  const { feed, epoch, revision, takenAt, features, segments, ...otherFields } = snapshot;
  const hash = createHash('sha256');
  const body: Buffer[] = [];
  const add = (text: string): void => {
    const part = Buffer.from(text);
    hash.update(part);
    body.push(part);
  };
  const addRows = async (rows: readonly unknown[]): Promise<void> => {
    for (let offset = 0; offset < rows.length; offset += ROWS_PER_TURN) {
      if (offset > 0) await setImmediate();
      add(
        `${offset > 0 ? ',' : ''}${JSON.stringify(rows.slice(offset, offset + ROWS_PER_TURN)).slice(1, -1)}`,
      );
    }
  };
  add(`${JSON.stringify(otherFields).slice(0, -1)},"features":[`);
  await addRows(features);
  add('],"segments":[');
  await addRows(segments);
  add(']}');
  const bytes = body.reduce((sum, { length }) => sum + length, 0);
  const header = { v: VERSION, feed, epoch, revision, takenAt, bytes, sha256: hash.digest('hex') };
  const line = Buffer.from(JSON.stringify(header));
  const signature = await signBytes(null, line, key.privateKey);
  return [line, Buffer.from(`\n${key.id} ${signature.toString('base64')}\n`), ...body];
}

/** The public keys that a reader trusts, by id. */
export type TrustedKeys = ReadonlyMap<string, SigningKey['publicKey']>;

/** A header signed with a trusted key, and the offset at which the body starts. */
type SignedHeader = { header: Static<typeof Header>; bodyOffset: number };

/** Checks the start of a snapshot, because the rest is worth reading only if it is signed with a trusted key. Throws `SnapshotError`. */
export function readHeader(file: Buffer, keys: TrustedKeys): SignedHeader {
  const headerEnd = file.subarray(0, MAX_HEADER_BYTES).indexOf(NEWLINE);
  const signatureEnd = file.subarray(0, headerEnd + 1_024).indexOf(NEWLINE, headerEnd + 1);
  if (headerEnd < 0 || signatureEnd < 0) throw new SnapshotError('The file has no header and signature.');
  const line = file.subarray(0, headerEnd);
  const [id = '', signature = ''] = file.toString('latin1', headerEnd + 1, signatureEnd).split(' ');
  const key = keys.get(id);
  if (!key)
    throw new UntrustedKeyError(
      `The snapshot is signed with key "${id.slice(0, 40)}", which is not trusted.`,
    );
  const signatureBytes = Buffer.from(signature, 'base64');
  if (signatureBytes.toString('base64') !== signature || !verify(null, line, key, signatureBytes))
    throw new SnapshotError('The signature does not match the header.');
  const header = parse(line);
  if (laterVersionValidator.Check(header))
    throw new SnapshotError(
      `The snapshot has format version ${header.v}, but this program supports only version ${VERSION}. Upgrade this edge or server.`,
    );
  if (!headerValidator.Check(header))
    throw new SnapshotError(
      `The header is not valid for version ${VERSION}: ${line.toString('utf8', 0, 200)}`,
    );
  return { header, bodyOffset: signatureEnd + 1 };
}

/** The maximum size of the header with its signature. */
export const MAX_SIGNED_HEADER_BYTES = MAX_HEADER_BYTES + 1_024;

/** Throws a `SnapshotError` if the snapshot is incomplete, altered, not signed with a trusted key, or from a later version. */
export function decodeSnapshot(file: Buffer, keys: TrustedKeys): Snapshot {
  const { header, bodyOffset } = readHeader(file, keys);
  const bytes = file.subarray(bodyOffset);
  if (bytes.length !== header.bytes)
    throw new SnapshotError(`The body has ${bytes.length} bytes instead of ${header.bytes}.`);
  if (createHash('sha256').update(bytes).digest('hex') !== header.sha256)
    throw new SnapshotError('The body does not match its hash.');
  const body = parse(bytes);
  if (!bodyValidator.Check(body))
    throw new SnapshotError(`The body is missing fields that version ${VERSION} requires.`);
  const { v: _, bytes: _bytes, sha256: _sha256, ...head } = header;
  return { ...head, ...body };
}

function parse(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString());
  } catch (error) {
    throw new SnapshotError('The snapshot is not JSON.', { cause: error });
  }
}
