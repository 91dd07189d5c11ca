import { applyPatch as applyTo, type Operation } from 'rfc6902';
import { type Static, type TSchema, Type } from 'typebox';
import { Value } from 'typebox/value';
import { badData } from '../errors.ts';

export const JsonPatch = Type.Array(
  Type.Object({
    op: Type.Unsafe<'add' | 'remove' | 'replace' | 'move' | 'copy' | 'test'>({
      type: 'string',
      enum: ['add', 'remove', 'replace', 'move', 'copy', 'test'],
    }),
    path: Type.String({ maxLength: 1_000, examples: ['/description'] }),
    from: Type.Optional(Type.String({ maxLength: 1_000 })),
    value: Type.Optional(Type.Unknown()),
  }),
  {
    minItems: 1,
    maxItems: 100,
    description: 'JSON Patch (RFC 6902)',
    examples: [[{ op: 'replace', path: '/description', value: 'The checkout page' }]],
  },
);
export type JsonPatch = Static<typeof JsonPatch>;

/** Applies a JSON Patch to a copy and checks what comes out against the schema of a whole update. */
export function applyPatch<T extends TSchema>(before: Static<T>, patch: JsonPatch, schema: T): Static<T> {
  const after = structuredClone(before);
  const failed = applyTo(after, patch as Operation[]).flatMap((error, at) =>
    error === null
      ? []
      : [{ message: `operation ${at + 1} cannot be applied: ${error.message}`, path: `/body/${at}` }],
  );
  if (failed.length > 0) throw badData(failed);
  if (Value.Check(schema, after)) return after;
  throw badData(
    [...Value.Errors(schema, after)].map(({ instancePath, message }) => ({
      message: `after the patch ${instancePath.slice(1) || 'the whole'} ${message}`,
      path: '/body',
    })),
  );
}
