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
 * The named schemas of an application. Fastify reads them twice per route, and its own bucket copies all of them each time: 10 %
 * of the start-up time. This one returns the same object until a schema is added.
 */
function makeBucket(inherited?: unknown) {
  let schemas = (inherited ?? {}) as Schemas;
  return {
    add(schema: unknown) {
      const { $id: name } = schema as { $id: string };
      if (Object.hasOwn(schemas, name)) throw new Error(`There are two schemas with the name ${name}`);
      // Not changed in place: a part of the application inherits the schemas and adds its own.
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
      serialize ??= SerializerSelector()(namedIn(route.schema, shared as Schemas), options)(route);
      return serialize(value);
    };
  };
}

/** The shared schemas that a schema refers to, directly or not. The serializer checks each that it is given. */
function namedIn(schema: unknown, shared: Schemas): Schemas {
  const found: Schemas = {};
  const visit = (part: unknown): void => {
    if (typeof part !== 'object' || part === null) return;
    for (const [key, value] of Object.entries(part)) {
      if (key !== '$ref' || typeof value !== 'string') {
        visit(value);
        continue;
      }
      const [name = ''] = value.split('#');
      if (Object.hasOwn(found, name) || !Object.hasOwn(shared, name)) continue;
      found[name] = shared[name];
      visit(shared[name]);
    }
  };
  visit(schema);
  return found;
}

type BuildValidator = ReturnType<typeof AjvCompiler>;
type Validate = ReturnType<ReturnType<BuildValidator>>;

const acceptAll = (() => true) as unknown as Validate;

/** Fastify requests a compiler per route. Routes with the same shared schemas share one, which reads them once. */
const buildValidator = AjvCompiler();

function lazyValidators(...options: Parameters<BuildValidator>): ReturnType<BuildValidator> {
  const compiler = compilerFor(options);
  return schema => {
    // The operation reads such a query itself (platform/http/input/filter.ts).
    if (isReadByHand((schema as { schema?: unknown }).schema)) return acceptAll;
    let validate: Validate | undefined;
    const lazy = (value: unknown) => {
      validate ??= compiler()(schema);
      const valid = validate(value);
      // Ajv leaves its findings on the function, where Fastify looks for them.
      lazy.errors = validate.errors;
      return valid;
    };
    lazy.errors = undefined as Validate['errors'];
    return lazy as Validate;
  };
}

/** `buildValidator` finds a compiler by the text of all schemas, which takes 2 ms. This finds it by their object. */
const compilers = new WeakMap<object, ReturnType<BuildValidator>>();

function compilerFor([shared, options]: Parameters<BuildValidator>): () => ReturnType<BuildValidator> {
  return () => {
    const compiler = compilers.get(shared as object) ?? buildValidator(shared, options);
    compilers.set(shared as object, compiler);
    return compiler;
  };
}
