import { badData, type Violation } from '@halyard/plane/platform/errors.ts';
import { RULE } from '@halyard/plane/platform/http/input/violations.ts';
import { NamedObject } from '@halyard/plane/platform/http/schema.ts';
import { type Static, type TSchema, Type } from 'typebox';
import { Value } from 'typebox/value';
import { applyOperations, PatchError, type PatchOperation, POINTER, parsePointer } from './json-patch.ts';

const Pointer = Type.String({
  description: 'JSON Pointer to the value to change (path), or to the source of a move or copy (from)',
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
    value: Type.Optional(Type.Unknown({ description: 'The value for add, replace and test' })),
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
 *
 * `NoInfer` is here because inferring from `Static<T>` doubled the type instantiations of the whole repository.
 */
export function applyPatch<T extends TSchema>(
  document: NoInfer<Static<T>>,
  patch: JsonPatch,
  schema: T,
): NoInfer<Static<T>> {
  const violations = [...patch.flatMap(findMissingMembers), ...findUnpatchablePointers(patch, schema)];
  if (violations.length > 0) throw badData(violations);
  const patchedDocument = applyToCopy(document, patch);
  if (Value.Check(schema, patchedDocument)) return patchedDocument as Static<T>;
  throw badData(
    Value.Errors(schema, patchedDocument).flatMap(error =>
      describeError(error).map(message => ({ message, path: '/body' })),
    ),
  );
}

function describeError(error: ReturnType<typeof Value.Errors>[number]): string[] {
  const { instancePath, message } = error;
  if (error.keyword === 'required') {
    return error.params.requiredProperties.map(
      name => `"${instancePath}/${name}" is required, but missing after the patch`,
    );
  }
  return [`after the patch, ${instancePath ? `"${instancePath}"` : 'the document'} ${message}`];
}

/**
 * Yields a violation for each pointer to a field that the schema does not define, because such an operation would have no effect.
 */
function* findUnpatchablePointers(patch: JsonPatch, schema: TSchema): Generator<Violation> {
  for (const [index, { path, from }] of patch.entries()) {
    for (const [member, pointer] of Object.entries({ path, from })) {
      const fields =
        pointer === undefined ? undefined : findPatchableFields(schema, parsePointer(pointer).slice(1));
      if (fields) {
        yield {
          message: `"${pointer}" cannot be patched. Patchable fields: ${fields.join(', ')}`,
          path: `/body/${index}/${member}`,
        };
      }
    }
  }
}

/**
 * Returns the fields that the schema defines in place of the first unknown token, or undefined if the schema defines every token.
 */
function findPatchableFields(schema: TSchema, tokens: string[], parent = ''): string[] | undefined {
  const { items, properties } = schema as { items?: TSchema; properties?: Record<string, TSchema> };
  const [token, ...rest] = tokens;
  if (token === undefined) return undefined;
  if (items) return findPatchableFields(items, rest, `${parent}/${token}`);
  if (!properties) return undefined;
  const field = Object.hasOwn(properties, token) ? properties[token] : undefined;
  if (!field) return Object.keys(properties).map(name => `${parent}/${name}`);
  return findPatchableFields(field, rest, `${parent}/${token}`);
}

const REQUIRED_MEMBERS = {
  add: 'value',
  replace: 'value',
  test: 'value',
  move: 'from',
  copy: 'from',
  remove: undefined,
} as const;

function findMissingMembers(operation: PatchOperation, index: number): Violation[] {
  const member = REQUIRED_MEMBERS[operation.op];
  if (member === undefined || operation[member] !== undefined) return [];
  return [
    {
      message: `operation "${operation.op}" at index ${index} requires "${member}"`,
      path: `/body/${index}/${member}`,
    },
  ];
}

function applyToCopy(document: unknown, patch: JsonPatch): unknown {
  try {
    return applyOperations(structuredClone(document), patch);
  } catch (error) {
    if (!(error instanceof PatchError)) throw error;
    const { index, message } = error;
    throw badData([
      { message: `operation ${index + 1} cannot be applied: ${message}`, path: `/body/${index}` },
    ]);
  }
}
