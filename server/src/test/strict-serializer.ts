import { createRequire } from 'node:module';
import { lazyCompilers } from '../../../plane/src/platform/http/input/compilers.ts';

type JsonSchema = Record<string, unknown>;
type Validate = { (value: unknown): boolean; errors?: unknown };
type Compiler = { compile: (schema: JsonSchema) => Validate };

// Ajv as bundled with Fastify.
const fromFastify = createRequire(createRequire(import.meta.url).resolve('fastify'));
const { default: Ajv } = fromFastify('ajv/dist/2020');
const { default: addFormats } = fromFastify('ajv-formats');

/** Fastify drops fields that the schema does not name. In tests, an extra or a missing field is an error. */
export const strictSerializer = {
  schemaController: {
    ...lazyCompilers,
    compilersFactory: {
      ...lazyCompilers.compilersFactory,
      // Fastify calls this for many routes. Compiling everything immediately would add 5.7 s to each start; compiling on demand
      // adds 0.1 s.
      buildSerializer: (shared: unknown) => {
        return ({ schema }: { schema?: unknown }) => {
          let validate: Validate | undefined;
          return (value: unknown) => {
            validate ??= validatorOf(schema as JsonSchema, shared as Record<string, JsonSchema>);
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
 * Cached by the application's schema object and by its text, because the applications of all test files in a worker have equal
 * schemas.
 */
const byObject = new WeakMap<object, Validators>();
const byText = new Map<string, Validators>();

function validatorOf(schema: JsonSchema, shared: Record<string, JsonSchema>): Validate {
  const { compiler, bySchema } = validatorsOf(shared);
  const text = JSON.stringify(schema);
  const validate = bySchema.get(text) ?? compiler.compile(closed(schema));
  bySchema.set(text, validate);
  return validate;
}

function validatorsOf(shared: Record<string, JsonSchema>): Validators {
  const known = byObject.get(shared);
  if (known) return known;
  const text = JSON.stringify(shared);
  const validators = byText.get(text) ?? { compiler: compilerOf(shared), bySchema: new Map() };
  byText.set(text, validators);
  byObject.set(shared, validators);
  return validators;
}

function compilerOf(shared: Record<string, JsonSchema>): Compiler {
  const ajv = new Ajv({ allErrors: true, strict: false, meta: false, validateSchema: false });
  addFormats(ajv);
  for (const schema of Object.values(shared)) ajv.addSchema(closed(schema));
  return ajv;
}

/** The schema with every object closed, unless it is explicitly open. */
function closed(schema: JsonSchema): JsonSchema {
  const copy: JsonSchema = {};
  for (const [key, value] of Object.entries(schema)) {
    if (Array.isArray(value)) copy[key] = value.map(item => (isObject(item) ? closed(item) : item));
    else copy[key] = isObject(value) ? closed(value) : value;
  }
  const describesObject = isObject(schema.properties) && [schema.type].flat().includes('object');
  return describesObject ? { additionalProperties: false, ...copy } : copy;
}

const isObject = (value: unknown): value is JsonSchema =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
