import { SCHEMAS } from './schemas.gen.ts';

type Schema = Record<string, unknown>;

/** The names of the schemas that a schema refers to. */
export function namesIn(schema: unknown): string[] {
  if (Array.isArray(schema)) return schema.flatMap(namesIn);
  if (typeof schema !== 'object' || schema === null) return [];
  return Object.entries(schema).flatMap(([key, value]) =>
    key === '$ref' && typeof value === 'string' ? [value.slice(value.lastIndexOf('/') + 1)] : namesIn(value),
  );
}

/** The names of all schemas that the schema refers to, directly or through others. */
export function closure(schema: unknown, all: Record<string, unknown>): string[] {
  const found = new Set<string>();
  const waiting = namesIn(schema);
  for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) {
    if (found.has(name)) continue;
    found.add(name);
    waiting.push(...namesIn(all[name]));
  }
  return [...found].toSorted();
}

/** A self-contained schema: it includes every schema that it refers to. */
export function schemaFor(output: string | Schema): Schema {
  const schema = typeof output === 'string' ? { $ref: `#/components/schemas/${output}` } : output;
  const names = closure(schema, SCHEMAS);
  return {
    ...schema,
    ...(names.length > 0 && {
      components: { schemas: Object.fromEntries(names.map(name => [name, SCHEMAS[name]])) },
    }),
  };
}
