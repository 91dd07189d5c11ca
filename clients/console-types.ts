// Both the console's types (console/scripts/api-types.ts) and those from openapi-typescript describe openapi.json. This file
// compiles only if they agree in both directions for every operation.
import type { paths as ConsolePaths } from '../console/src/api/api.gen.ts';
import type { paths as GeneratedPaths } from './generated/openapi-typescript.ts';

type Method = 'get' | 'put' | 'post' | 'delete' | 'patch';

type MethodsOf<Item> = {
  [M in keyof Item & Method]: [NonNullable<Item[M]>] extends [never] ? never : M;
}[keyof Item & Method];

type RequestOf<Operation> = Operation extends { requestBody?: infer Body }
  ? [NonNullable<Body>] extends [never]
    ? 'no body'
    : ContentOf<NonNullable<Body>>
  : 'no body';

type ContentOf<Response> = Response extends { content: infer Content }
  ? [Content] extends [never]
    ? 'no content'
    : Content
  : 'no content';

type ResponsesOf<Operation> = Operation extends { responses: infer Responses }
  ? { [Status in keyof Responses]: ContentOf<Responses[Status]> }
  : never;

type ParametersOf<Operation, Place extends string> = Operation extends { parameters: infer Parameters }
  ? Place extends keyof Parameters
    ? [NonNullable<Parameters[Place]>] extends [never]
      ? object
      : NonNullable<Parameters[Place]>
    : object
  : object;

type IsSame<A, B> = [A] extends [B] ? ([B] extends [A] ? true : false) : false;
type IsAssignable<A, B> = [A] extends [B] ? true : false;

/** The parts of an operation that differ. The console also accepts numbers in a query, so queries are compared in one direction only. */
type DifferingParts<A, B> =
  | (IsSame<RequestOf<A>, RequestOf<B>> extends true ? never : 'request body')
  | (IsSame<ResponsesOf<A>, ResponsesOf<B>> extends true ? never : 'responses')
  | (IsSame<ParametersOf<A, 'path'>, ParametersOf<B, 'path'>> extends true ? never : 'path')
  | (IsSame<keyof ParametersOf<A, 'query'>, keyof ParametersOf<B, 'query'>> extends true
      ? never
      : 'query names')
  | (IsAssignable<ParametersOf<B, 'query'>, ParametersOf<A, 'query'>> extends true ? never : 'query');

type Differences = {
  [Path in keyof ConsolePaths & keyof GeneratedPaths]: IsSame<
    MethodsOf<ConsolePaths[Path]>,
    MethodsOf<GeneratedPaths[Path]>
  > extends true
    ? {
        [M in MethodsOf<ConsolePaths[Path]> &
          keyof GeneratedPaths[Path]]: `${M & string} ${Path}: ${DifferingParts<ConsolePaths[Path][M], NonNullable<GeneratedPaths[Path][M]>>}`;
      }[MethodsOf<ConsolePaths[Path]> & keyof GeneratedPaths[Path]]
    : `${Path}: methods`;
}[keyof ConsolePaths & keyof GeneratedPaths];

type MissingPaths =
  | Exclude<keyof GeneratedPaths, keyof ConsolePaths>
  | Exclude<keyof ConsolePaths, keyof GeneratedPaths>;

/**
 * The playground context has one object field, and its additional fields are strings. openapi-typescript generates an intersection
 * that no such object satisfies, whereas the console uses `unknown` for additional fields.
 */
type KnownDifferences = `post /api/admin/playground${'' | '/advanced'}: ${'request body' | 'responses'}`;

// If there are differences, the compiler lists them as keys that the empty object lacks.
export const missingPaths: Record<MissingPaths, true> = {};
export const differences: Record<Exclude<Differences, KnownDifferences>, true> = {};
