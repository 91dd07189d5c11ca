import { createRequire } from 'node:module';
import { lazyCompilers } from '../platform/http/compilers.ts';

type JsonSchema = Record<string, unknown>;
type Validate = { (value: unknown): boolean; errors?: unknown };
type Compiler = { compile: (schema: JsonSchema) => Validate };

// Ajv as Fastify itself brings it.
const fromFastify = createRequire(createRequire(import.meta.url).resolve('fastify'));
const { default: Ajv } = fromFastify('ajv/dist/2020');
const { default: addFormats } = fromFastify('ajv-formats');

/** Fastify drops what the schema does not name; in tests a field too many or too few is an error. */
export const strictSerializer = {
  schemaController: {
    compilersFactory: {
      ...lazyCompilers.compilersFactory,
      // Fastify calls this for many routes: what is made at once for each costs 5.7 s of a start, made when needed 0.1 s.
      buildSerializer: (shared: unknown) => {
        let compiler: Compiler | undefined;
        return ({ schema }: { schema?: unknown }) => {
          let validate: Validate | undefined;
          return (value: unknown) => {
            compiler ??= compilerOf(shared as Record<string, JsonSchema>);
            validate ??= compiler.compile(closed(schema as JsonSchema));
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

function compilerOf(shared: Record<string, JsonSchema>): Compiler {
  const ajv = new Ajv({ allErrors: true, strict: false, meta: false, validateSchema: false });
  addFormats(ajv);
  for (const schema of Object.values(shared)) ajv.addSchema(closed(schema));
  return ajv;
}

/** The schema with every object closed that does not say it is open. */
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
