import AjvCompiler from '@fastify/ajv-compiler';
import { SerializerSelector } from '@fastify/fast-json-stringify-compiler';

/**
 * Fastify compiles every schema of every route before it listens: 350 ms for the first 19 operations, and the cost
 * grows with each. These are its own two compilers, put off to the first request that needs them.
 */
export const lazyCompilers = {
  compilersFactory: { buildSerializer: lazySerializers, buildValidator: lazyValidators },
};

type BuildSerializer = ReturnType<typeof SerializerSelector>;

function lazySerializers(...options: Parameters<BuildSerializer>): ReturnType<BuildSerializer> {
  const compile = SerializerSelector()(...options);
  return route => {
    let serialize: ReturnType<typeof compile> | undefined;
    return value => {
      serialize ??= compile(route);
      return serialize(value);
    };
  };
}

type BuildValidator = ReturnType<typeof AjvCompiler>;
type Validate = ReturnType<ReturnType<BuildValidator>>;

function lazyValidators(...options: Parameters<BuildValidator>): ReturnType<BuildValidator> {
  const compile = AjvCompiler()(...options);
  return schema => {
    let validate: Validate | undefined;
    const lazy = (value: unknown) => {
      validate ??= compile(schema);
      const valid = validate(value);
      // Ajv leaves what it found on the function, and Fastify looks for it there.
      lazy.errors = validate.errors;
      return valid;
    };
    lazy.errors = undefined as Validate['errors'];
    return lazy as Validate;
  };
}
