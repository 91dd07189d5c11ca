import { createRequire } from 'node:module';
import { lazyCompilers } from '@halyard/plane/platform/http/input/compilers.ts';

type JsonSchema = Record<string, unknown>;
type Validate = { (value: unknown): boolean; errors?: unknown };
type Compiler = { compile: (schema: JsonSchema) => Validate };

// Fastify's own copy of Ajv.
const fromFastify = createRequire(createRequire(import.meta.url).resolve('fastify'));
const { default: Ajv } = fromFastify('ajv/dist/2020');
const { default: addFormats } = fromFastify('ajv-formats');

/** Fastify drops fields that the schema does not name. In tests, an extra or a missing field is an error. */
export const strictSerializer = {
  schemaController: {
    ...lazyCompilers,
    compilersFactory: {
      ...lazyCompilers.compilersFactory,
      // Fastify calls this for many routes. Compiling everything immediately would add 5.7 s to each start, whereas compiling on
      // demand adds 0.1 s.
      buildSerializer: (shared: unknown) => {
        return ({ schema }: { schema?: unknown }) => {
          let validate: Validate | undefined;
          return (value: unknown) => {
            validate ??= getValidator(schema as JsonSchema, shared as Record<string, JsonSchema>);
            const text = JSON.stringify(value);
            if (!validate(JSON.parse(text))) {
              throw new Error(
                `The response does not match its schema: ${JSON.stringify(validate.errors)}\n${text}`,
              );
            }
            return text;
          };
        };
      },
    },
  },
};

type Validators = { compiler: Compiler; bySchema: Map<string, Validate> };

/**
 * The validators are cached by the application's schema object and by its text, because the applications of all test files in a
 * worker have equal schemas.
 */
const validatorsByObject = new WeakMap<object, Validators>();
const validatorsByText = new Map<string, Validators>();

function getValidator(schema: JsonSchema, shared: Record<string, JsonSchema>): Validate {
  const { compiler, bySchema } = getValidators(shared);
  const text = JSON.stringify(schema);
  const validate = bySchema.get(text) ?? compiler.compile(closeObjects(schema));
  bySchema.set(text, validate);
  return validate;
}

function getValidators(shared: Record<string, JsonSchema>): Validators {
  const cachedValidators = validatorsByObject.get(shared);
  if (cachedValidators) return cachedValidators;
  const text = JSON.stringify(shared);
  const validators = validatorsByText.get(text) ?? { compiler: createCompiler(shared), bySchema: new Map() };
  validatorsByText.set(text, validators);
  validatorsByObject.set(shared, validators);
  return validators;
}

function createCompiler(shared: Record<string, JsonSchema>): Compiler {
  const ajv = new Ajv({ allErrors: true, strict: false, meta: false, validateSchema: false });
  addFormats(ajv);
  for (const schema of Object.values(shared)) ajv.addSchema(closeObjects(schema));
  return ajv;
}

/** Closes every object in a schema, unless it is explicitly open. */
function closeObjects(schema: JsonSchema): JsonSchema {
  const copy: JsonSchema = {};
  for (const [key, value] of Object.entries(schema)) {
    if (Array.isArray(value)) copy[key] = value.map(item => (isObject(item) ? closeObjects(item) : item));
    else copy[key] = isObject(value) ? closeObjects(value) : value;
  }
  const describesObject = isObject(schema.properties) && [schema.type].flat().includes('object');
  return describesObject ? { additionalProperties: false, ...copy } : copy;
}

const isObject = (value: unknown): value is JsonSchema =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
