// The types of the console (console/scripts/api-types.ts) and those of openapi-typescript describe the same document. This file
// compiles if they agree in both directions for every operation.
import type { paths as Ours } from '../console/src/api/api.gen.ts';
import type { paths as Theirs } from './generated/openapi-typescript.ts';

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

/** The parts of an operation that differ. The console accepts numbers in a query too, so only one direction is compared there. */
type PartsOf<A, B> =
  | (IsSame<RequestOf<A>, RequestOf<B>> extends true ? never : 'request body')
  | (IsSame<ResponsesOf<A>, ResponsesOf<B>> extends true ? never : 'responses')
  | (IsSame<ParametersOf<A, 'path'>, ParametersOf<B, 'path'>> extends true ? never : 'path')
  | (IsSame<keyof ParametersOf<A, 'query'>, keyof ParametersOf<B, 'query'>> extends true
      ? never
      : 'query names')
  | (IsAssignable<ParametersOf<B, 'query'>, ParametersOf<A, 'query'>> extends true ? never : 'query');

type Differences = {
  [Path in keyof Ours & keyof Theirs]: IsSame<MethodsOf<Ours[Path]>, MethodsOf<Theirs[Path]>> extends true
    ? {
        [M in MethodsOf<Ours[Path]> &
          keyof Theirs[Path]]: `${M & string} ${Path}: ${PartsOf<Ours[Path][M], NonNullable<Theirs[Path][M]>>}`;
      }[MethodsOf<Ours[Path]> & keyof Theirs[Path]]
    : `${Path}: methods`;
}[keyof Ours & keyof Theirs];

type MissingPaths = Exclude<keyof Theirs, keyof Ours> | Exclude<keyof Ours, keyof Theirs>;

/**
 * The playground's context has an object among fields whose further values are strings. openapi-typescript writes an intersection
 * that no such object satisfies. The console has `unknown` for further values.
 */
type OfContext = `post /api/admin/playground${'' | '/advanced'}: ${'request body' | 'responses'}`;

// A record of all differences: the compiler lists the keys that the empty object lacks.
export const missingPaths: Record<MissingPaths, true> = {};
export const differences: Record<Exclude<Differences, OfContext>, true> = {};
