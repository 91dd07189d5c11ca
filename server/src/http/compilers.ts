import AjvCompiler from '@fastify/ajv-compiler';
import { SerializerSelector } from '@fastify/fast-json-stringify-compiler';
import { isReadByHand } from './filter.ts';

/**
 * Fastify compiles every schema of every route before it listens: 350 ms for the first 19 operations, 1.6 s for 75.
 * These are its own two compilers, put off to the first request that needs them.
 */
export const lazyCompilers = {
  compilersFactory: { buildSerializer: lazySerializers, buildValidator: lazyValidators },
};

type BuildSerializer = ReturnType<typeof SerializerSelector>;

function lazySerializers(...options: Parameters<BuildSerializer>): ReturnType<BuildSerializer> {
  const compiler = once(() => SerializerSelector()(...options));
  return route => {
    let serialize: ReturnType<ReturnType<typeof compiler>> | undefined;
    return value => {
      serialize ??= compiler()(route);
      return serialize(value);
    };
  };
}

type BuildValidator = ReturnType<typeof AjvCompiler>;
type Validate = ReturnType<ReturnType<BuildValidator>>;

const acceptAll = (() => true) as unknown as Validate;

function lazyValidators(...options: Parameters<BuildValidator>): ReturnType<BuildValidator> {
  const compiler = once(() => AjvCompiler()(...options));
  return schema => {
    // The operation reads such a query itself (http/filter.ts).
    if (isReadByHand((schema as { schema?: unknown }).schema)) return acceptAll;
    let validate: Validate | undefined;
    const lazy = (value: unknown) => {
      validate ??= compiler()(schema);
      const valid = validate(value);
      // Ajv leaves what it found on the function, and Fastify looks for it there.
      lazy.errors = validate.errors;
      return valid;
    };
    lazy.errors = undefined as Validate['errors'];
    return lazy as Validate;
  };
}

function once<T>(make: () => T): () => T {
  let made: { value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
