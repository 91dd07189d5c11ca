import { SCHEMAS } from './schemas.gen.ts';

type Schema = Record<string, unknown>;

/** Returns the names of the schemas that a schema refers to directly. */
export function directReferences(schema: unknown): string[] {
  if (Array.isArray(schema)) return schema.flatMap(directReferences);
  if (typeof schema !== 'object' || schema === null) return [];
  return Object.entries(schema).flatMap(([key, value]) =>
    key === '$ref' && typeof value === 'string'
      ? [value.slice(value.lastIndexOf('/') + 1)]
      : directReferences(value),
  );
}

/** Returns the names of all schemas that the schema refers to, directly or through other schemas. */
export function referencedSchemas(schema: unknown, schemas: Record<string, unknown>): string[] {
  const names = new Set<string>();
  const pendingNames = directReferences(schema);
  for (let name = pendingNames.pop(); name !== undefined; name = pendingNames.pop()) {
    if (names.has(name)) continue;
    names.add(name);
    pendingNames.push(...directReferences(schemas[name]));
  }
  return [...names].toSorted();
}

/** Returns a self-contained schema, which includes every schema that it refers to. */
export function schemaFor(output: string | Schema): Schema {
  const schema = typeof output === 'string' ? { $ref: `#/components/schemas/${output}` } : output;
  const names = referencedSchemas(schema, SCHEMAS);
  return {
    ...schema,
    ...(names.length > 0 && {
      components: { schemas: Object.fromEntries(names.map(name => [name, SCHEMAS[name]])) },
    }),
  };
}
