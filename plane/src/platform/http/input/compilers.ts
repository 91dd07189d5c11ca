import AjvCompiler from '@fastify/ajv-compiler';
import { SerializerSelector } from '@fastify/fast-json-stringify-compiler';
import { isReadByHand } from './filter.ts';

/** Schemas by their names. */
type Schemas = Record<string, unknown>;

/**
 * Fastify compiles every schema of every route before it listens: 350 ms for the first 19 operations, 1.6 s for 75. These are
 * Fastify's compilers, deferred to the first request that needs them.
 */
export const lazyCompilers = {
  bucket: makeBucket,
  compilersFactory: { buildSerializer: lazySerializers, buildValidator: lazyValidators },
};

/**
 * The named schemas of an application. Fastify reads them twice per route, and its own bucket copies all of them each time, which
 * takes 10 % of the start-up time. This bucket returns the same object until a schema is added.
 */
function makeBucket(inherited?: unknown) {
  let schemas = (inherited ?? {}) as Schemas;
  return {
    add(schema: unknown) {
      const { $id: name } = schema as { $id: string };
      if (Object.hasOwn(schemas, name)) throw new Error(`Two schemas are named "${name}"`);
      // Not changed in place, because a plugin inherits the schemas and adds its own.
      schemas = { ...schemas, [name]: structuredClone(schema) };
      // Fastify's type requires its own instance, but ignores it.
      return undefined as never;
    },
    getSchema: (name: string) => schemas[name],
    getSchemas: () => schemas,
  };
}

type BuildSerializer = ReturnType<typeof SerializerSelector>;

function lazySerializers(...[shared, options]: Parameters<BuildSerializer>): ReturnType<BuildSerializer> {
  return route => {
    let serialize: ((value: unknown) => string) | undefined;
    return value => {
      serialize ??= SerializerSelector()(referencedSchemas(route.schema, shared as Schemas), options)(route);
      return serialize(value);
    };
  };
}

/**
 * The shared schemas that a schema refers to, directly or indirectly. The serializer checks every schema it gets, so it gets only
 * these.
 */
function referencedSchemas(schema: unknown, shared: Schemas): Schemas {
  const referenced: Schemas = {};
  const visit = (part: unknown): void => {
    if (typeof part !== 'object' || part === null) return;
    for (const [key, value] of Object.entries(part)) {
      if (key !== '$ref' || typeof value !== 'string') {
        visit(value);
        continue;
      }
      const [name = ''] = value.split('#');
      if (Object.hasOwn(referenced, name) || !Object.hasOwn(shared, name)) continue;
      referenced[name] = shared[name];
      visit(shared[name]);
    }
  };
  visit(schema);
  return referenced;
}

type BuildValidator = ReturnType<typeof AjvCompiler>;
type Validate = ReturnType<ReturnType<BuildValidator>>;

const acceptAll = (() => true) as unknown as Validate;

/** Fastify requests a compiler per route. Routes with the same shared schemas share a compiler, which reads the schemas once. */
const buildValidator = AjvCompiler();

/**
 * Even with `allErrors`, a request is first validated up to its first violation. The other violations are collected only if
 * there is a first one and the request does not have too many values: 49,000 violations take 9 MB, and one caller can have
 * several requests at a time.
 */
const MAX_EXAMINED_VALUES = 10_000;

function lazyValidators(...[shared, options]: Parameters<BuildValidator>): ReturnType<BuildValidator> {
  const compileWith = (allErrors: boolean) => compilerFor(shared, options, allErrors);
  const wantsAll = options?.customOptions?.allErrors === true;
  return schema => {
    // The operation reads a search query itself (platform/http/input/filter.ts).
    if (isReadByHand((schema as { schema?: unknown }).schema)) return acceptAll;
    let findFirst: Validate | undefined;
    let findAll: Validate | undefined;
    const lazy = (value: unknown) => {
      findFirst ??= compileWith(false)(schema);
      if (findFirst(value)) return true;
      let validator = findFirst;
      if (wantsAll && countValues(value) <= MAX_EXAMINED_VALUES) {
        findAll ??= compileWith(true)(schema);
        findAll(value);
        validator = findAll;
      }
      // Ajv leaves the errors on the function, where Fastify reads them immediately. They refer to the whole request, so they
      // must not stay there.
      lazy.errors = validator.errors;
      queueMicrotask(() => {
        for (const validate of [lazy, findFirst, findAll]) if (validate) validate.errors = null;
      });
      return false;
    };
    lazy.errors = null as Validate['errors'];
    return lazy as Validate;
  };
}

/** The number of values inside a value. Stops counting at the maximum. */
function countValues(value: unknown, countSoFar = 0): number {
  if (typeof value !== 'object' || value === null) return countSoFar + 1;
  let count = countSoFar + 1;
  for (const part of Array.isArray(value) ? value : Object.values(value)) {
    count = countValues(part, count);
    if (count > MAX_EXAMINED_VALUES) break;
  }
  return count;
}

/** `buildValidator` looks up a compiler by the JSON of all schemas, which takes 2 ms. These maps find it by object identity. */
const compilers = { first: new WeakMap<object, Compiler>(), all: new WeakMap<object, Compiler>() };
type Compiler = ReturnType<BuildValidator>;

function compilerFor(
  shared: Parameters<BuildValidator>[0],
  options: Parameters<BuildValidator>[1],
  allErrors: boolean,
): Compiler {
  const cache = compilers[allErrors ? 'all' : 'first'];
  const compiler =
    cache.get(shared as object) ??
    // The options are a union, and a spread would mix its members.
    buildValidator(shared, {
      ...options,
      customOptions: { ...options?.customOptions, allErrors },
    } as typeof options);
  cache.set(shared as object, compiler);
  return compiler;
}
