import AjvCompiler from '@fastify/ajv-compiler';
import { SerializerSelector } from '@fastify/fast-json-stringify-compiler';
import { isReadByHand } from './filter.ts';

/**
 * Fastify compiles every schema of every route before it listens: 350 ms for the first 19 operations, 1.6 s for 75.
 * These are the compilers of Fastify, deferred to the first request that needs them.
 */
export const lazyCompilers = {
  compilersFactory: { buildSerializer: lazySerializers, buildValidator: lazyValidators },
};

const MAX_COUNTED = 10_000;

/**
 * Lets a validator that collects all violations leave its loops after the first 10,000: 109,000 in one body took 120 ms
 * to collect. It stops only when there are violations, so nothing invalid passes. Ajv has no option for it; a test counts.
 */
export const boundedViolations = {
  process: (code: string): string =>
    code
      .replace(
        /for\(let (i\d+)=0; \1<(len\d+); \1\+\+\)/g,
        `for(let $1=0; $1<$2 && errors<${MAX_COUNTED}; $1++)`,
      )
      .replace(/for\(const key\d+ in data\d*\)\{/g, `$&if(errors>=${MAX_COUNTED})break;`),
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
    // The operation reads such a query itself (platform/http/filter.ts).
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
