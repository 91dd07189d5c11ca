import { type Static, type TSchema, Type } from 'typebox';
import { Value } from 'typebox/value';
import { badData, type Violation } from '../errors.ts';
import { applyOperations, PatchFailure, type PatchOperation, POINTER } from './json-patch.ts';
import { NamedObject } from './schema.ts';
import { RULE } from './violations.ts';

const Pointer = Type.String({
  maxLength: 1_000,
  pattern: POINTER,
  [RULE]: 'must be a JSON Pointer (RFC 6901): empty, or starting with /, with ~ only in ~0 and ~1',
  examples: ['/description'],
});

export const JsonPatch = Type.Array(
  NamedObject('PatchOperation', {
    op: Type.Unsafe<PatchOperation['op']>({
      type: 'string',
      enum: ['add', 'remove', 'replace', 'move', 'copy', 'test'],
    }),
    path: Pointer,
    from: Type.Optional(Pointer),
    value: Type.Optional(Type.Unknown()),
  }),
  {
    title: 'JsonPatch',
    minItems: 1,
    maxItems: 100,
    description: 'JSON Patch (RFC 6902)',
    examples: [[{ op: 'replace', path: '/description', value: 'The checkout page' }]],
  },
);
export type JsonPatch = Static<typeof JsonPatch>;

/**
 * Applies a JSON Patch to a copy and checks what comes out against the schema of a whole update.
 * `NoInfer`, because inferring from `Static<T>` doubled the type instantiations of the whole repository.
 */
export function applyPatch<T extends TSchema>(
  before: NoInfer<Static<T>>,
  patch: JsonPatch,
  schema: T,
): NoInfer<Static<T>> {
  const incomplete = patch.flatMap(missingMembers);
  if (incomplete.length > 0) throw badData(incomplete);
  const after = applied(before, patch);
  if (Value.Check(schema, after)) return after as Static<T>;
  throw badData(
    [...Value.Errors(schema, after)].map(({ instancePath, message }) => ({
      message: `after the patch ${instancePath.slice(1) || 'the whole'} ${message}`,
      path: '/body',
    })),
  );
}

const NEEDED = {
  add: 'value',
  replace: 'value',
  test: 'value',
  move: 'from',
  copy: 'from',
  remove: undefined,
} as const;

function missingMembers(operation: PatchOperation, at: number): Violation[] {
  const needed = NEEDED[operation.op];
  if (needed === undefined || operation[needed] !== undefined) return [];
  return [{ message: `${at}.${needed} is required with ${operation.op}`, path: `/body/${at}/${needed}` }];
}

function applied(before: unknown, patch: JsonPatch): unknown {
  try {
    return applyOperations(structuredClone(before), patch);
  } catch (error) {
    if (!(error instanceof PatchFailure)) throw error;
    const { at, message } = error;
    throw badData([{ message: `operation ${at + 1} cannot be applied: ${message}`, path: `/body/${at}` }]);
  }
}
