type Schema = Record<string, unknown>;
type Response = { content?: Record<string, { schema?: Schema; example?: unknown }> };
type Document = {
  paths?: Record<string, Record<string, { responses?: Record<string, Response> }>>;
  components?: { schemas?: Record<string, Schema> };
};

const METHODS = ['get', 'post', 'put', 'patch', 'delete'];

/** Adds an example to every successful response of the document, composed from the examples of its fields. */
export function addResponseExamples<T extends object>(document: T): T {
  const { paths = {}, components } = document as Document;
  const operations = Object.values(paths).flatMap(path => METHODS.flatMap(method => path[method] ?? []));
  for (const { responses = {} } of operations) {
    for (const [status, { content }] of Object.entries(responses)) {
      const json = content?.['application/json'];
      if (!status.startsWith('2') || !json?.schema || json.example !== undefined) continue;
      json.example = exampleOf(json.schema, components?.schemas ?? {});
    }
  }
  return document;
}

const BY_FORMAT: Record<string, string> = {
  'date-time': '2026-11-15T09:30:00.000Z',
  date: '2026-11-15',
  uuid: '6c1c8f2e-3b0f-4a0e-9a57-0d9b4a9f1a55',
  uri: 'https://example.com',
  email: 'alice@example.com',
};

function exampleOf(schema: Schema, named: Record<string, Schema>): unknown {
  if (typeof schema.$ref === 'string') {
    return exampleOf(named[schema.$ref.replace('#/components/schemas/', '')] ?? {}, named);
  }
  const [first] = [...list(schema.examples), ...list(schema.enum)];
  if (first !== undefined) return first;
  if (schema.const !== undefined) return schema.const;
  if (schema.default !== undefined) return schema.default;
  const [choice] = [...list(schema.anyOf), ...list(schema.oneOf)];
  if (choice !== undefined) return exampleOf(choice as Schema, named);
  return ofType(schema, named);
}

function ofType(schema: Schema, named: Record<string, Schema>): unknown {
  const type = [schema.type].flat().find(one => one !== 'null');
  if (type === 'object') {
    // An optional field whose list of examples is empty is left out.
    const fields = Object.entries((schema.properties ?? {}) as Record<string, Schema>).filter(
      ([, field]) => !Array.isArray(field.examples) || field.examples.length > 0,
    );
    return Object.fromEntries(fields.map(([name, field]) => [name, exampleOf(field, named)]));
  }
  if (type === 'array') return schema.items ? [exampleOf(schema.items as Schema, named)] : [];
  if (type === 'string') return BY_FORMAT[String(schema.format)] ?? 'text';
  if (type === 'integer' || type === 'number') return schema.minimum ?? 1;
  if (type === 'boolean') return false;
  return null;
}

const list = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);
