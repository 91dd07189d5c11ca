import { type Static, type TSchema, Type } from 'typebox';
import { Value } from 'typebox/value';
import { badData, type Violation } from '../../../../../plane/src/platform/errors.ts';
import { RULE } from '../../../../../plane/src/platform/http/input/violations.ts';
import { NamedObject } from '../../../../../plane/src/platform/http/schema.ts';
import { applyOperations, PatchFailure, type PatchOperation, POINTER, tokensOf } from './json-patch.ts';

const Pointer = Type.String({
  description: 'JSON Pointer. path points to the value that changes, from to the source of move and copy',
  maxLength: 1_000,
  pattern: POINTER,
  [RULE]: 'must be a JSON Pointer (RFC 6901): empty, or starting with /, with ~ only in ~0 and ~1',
  examples: ['/description'],
});

export const JsonPatch = Type.Array(
  NamedObject('PatchOperation', {
    op: Type.Unsafe<PatchOperation['op']>({
      description: 'The operation of RFC 6902',
      type: 'string',
      enum: ['add', 'remove', 'replace', 'move', 'copy', 'test'],
    }),
    path: Pointer,
    from: Type.Optional(Pointer),
    value: Type.Optional(Type.Unknown({ description: 'For add, replace and test: the value' })),
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
 * Applies a JSON Patch to a copy and checks the result against the schema. The schema has the fields that can be patched, and
 * requires those that cannot be removed.
 * `NoInfer`, because inferring from `Static<T>` doubled the type instantiations of the whole repository.
 */
export function applyPatch<T extends TSchema>(
  before: NoInfer<Static<T>>,
  patch: JsonPatch,
  schema: T,
): NoInfer<Static<T>> {
  const violations = [...patch.flatMap(missingMembers), ...unpatchablePointers(patch, schema)];
  if (violations.length > 0) throw badData(violations);
  const after = applied(before, patch);
  if (Value.Check(schema, after)) return after as Static<T>;
  throw badData(
    Value.Errors(schema, after).flatMap(error =>
      messagesOf(error).map(message => ({ message, path: '/body' })),
    ),
  );
}

function messagesOf(error: ReturnType<typeof Value.Errors>[number]): string[] {
  const { instancePath, message } = error;
  if (error.keyword === 'required') {
    return error.params.requiredProperties.map(
      name => `"${instancePath}/${name}" is missing after the patch. It is required`,
    );
  }
  return [`after the patch, ${instancePath ? `"${instancePath}"` : 'the document'} ${message}`];
}

/** Pointers to fields that the schema does not define. Such an operation would have no effect. */
function* unpatchablePointers(patch: JsonPatch, schema: TSchema): Generator<Violation> {
  for (const [at, { path, from }] of patch.entries()) {
    for (const [member, pointer] of Object.entries({ path, from })) {
      const fields = pointer === undefined ? undefined : fieldsInstead(schema, tokensOf(pointer).slice(1));
      if (fields) {
        yield {
          message: `"${pointer}" cannot be patched. Patchable fields: ${fields.join(', ')}`,
          path: `/body/${at}/${member}`,
        };
      }
    }
  }
}

/** The fields that exist where the first token is not a field of the schema; undefined if all tokens can exist. */
function fieldsInstead(schema: TSchema, tokens: string[], parent = ''): string[] | undefined {
  const { items, properties } = schema as { items?: TSchema; properties?: Record<string, TSchema> };
  const [token, ...rest] = tokens;
  if (token === undefined) return undefined;
  if (items) return fieldsInstead(items, rest, `${parent}/${token}`);
  if (!properties) return undefined;
  const field = Object.hasOwn(properties, token) ? properties[token] : undefined;
  if (!field) return Object.keys(properties).map(name => `${parent}/${name}`);
  return fieldsInstead(field, rest, `${parent}/${token}`);
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
