import { type Static, Type } from 'typebox';
import { Compile } from 'typebox/compile';
import {
  Count,
  FeatureSchema,
  FeedSchema,
  SegmentSchema,
  SnapshotError,
  TokenSchema,
} from '../snapshot/format.ts';

export const FRAME_VERSION = 1;

const common = { v: Type.Literal(FRAME_VERSION), feed: FeedSchema, epoch: Type.String() };

/** Flag and segment rows that differ between two revisions, each at its newest revision. */
const Flags = Type.Object({
  ...common,
  log: Type.Literal('flags'),
  prev: Count,
  rev: Count,
  completeSince: Count,
  revs: Type.Array(
    Type.Object({
      rev: Count,
      events: Type.Array(
        Type.Union([Type.Object({ feature: FeatureSchema }), Type.Object({ segment: SegmentSchema })]),
      ),
    }),
  ),
});
export type FlagsFrame = Static<typeof Flags>;

/** Tokens that were created or changed, and hashes of those that ended. */
const Tokens = Type.Object({
  ...common,
  log: Type.Literal('tokens'),
  prev: Count,
  rev: Count,
  revs: Type.Array(
    Type.Object({
      rev: Count,
      events: Type.Array(
        Type.Union([Type.Object({ token: TokenSchema }), Type.Object({ ended: Type.String() })]),
      ),
    }),
  ),
});
export type TokensFrame = Static<typeof Tokens>;

/** The current position of the feed. A reader that has applied all earlier frames but is still behind this position has a gap. */
const Head = Type.Object({
  ...common,
  log: Type.Literal('head'),
  rev: Count,
  completeSince: Count,
  tokenRev: Count,
  origins: Type.Array(Type.String()),
  /** The sender's current time, which decides whether a token has expired. */
  now: Type.String({ format: 'date-time' }),
  /** Seconds since the sender last confirmed that this position is current. */
  age: Type.Number({ minimum: 0 }),
});
export type Head = Static<typeof Head>;

/** What a server knows about one token. Null: the token does not belong to this feed. `ended`: it was revoked or has expired. */
const TokenFrame = Type.Object({
  ...common,
  log: Type.Literal('token'),
  rev: Count,
  hash: Type.String(),
  token: Type.Union([TokenSchema, Type.Null()]),
  ended: Type.Optional(Type.Boolean()),
});
export type TokenFrame = Static<typeof TokenFrame>;

/** The edge token with this hash was revoked. */
const RevokedFrame = Type.Object({
  v: Type.Literal(FRAME_VERSION),
  log: Type.Literal('revoked'),
  hash: Type.String(),
});
export type RevokedFrame = Static<typeof RevokedFrame>;

export type Frame = FlagsFrame | TokensFrame | Head | TokenFrame | RevokedFrame;

const VALIDATORS = {
  flags: Compile(Flags),
  tokens: Compile(Tokens),
  head: Compile(Head),
  token: Compile(TokenFrame),
  revoked: Compile(RevokedFrame),
};

/** Thrown for a frame that has a later format version, or belongs to a log that this version does not know. */
export class UnknownFrameError extends SnapshotError {}

export function parseFrame(value: unknown): Frame {
  const { v, log } = (value ?? {}) as { v?: unknown; log?: unknown };
  const validator = VALIDATORS[log as keyof typeof VALIDATORS];
  if (v !== FRAME_VERSION || !validator)
    throw new UnknownFrameError(`Unknown frame: version ${String(v)}, log "${String(log)}".`);
  if (!validator.Check(value))
    throw new SnapshotError(`The frame of log "${String(log)}" is missing required fields.`);
  return value as Frame;
}
