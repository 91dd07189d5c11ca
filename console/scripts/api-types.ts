// Writes from openapi.json: src/api/api.gen.ts with the types that openapi-fetch reads and the permission of each operation, and
// src/api/events.gen.ts with the events of each operation. Also writes operations.md: where the console calls each operation.
// Written by hand, because openapi-typescript 7 does not run with TypeScript 7.
import { readFileSync, writeFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { writeOperations } from './operations.ts';

type Schema = {
  $ref?: string;
  type?: string | string[];
  enum?: unknown[];
  const?: unknown;
  items?: Schema;
  properties?: Record<string, Schema>;
  required?: string[];
  additionalProperties?: boolean | Schema;
  anyOf?: Schema[];
  oneOf?: Schema[];
  allOf?: Schema[];
};
type Parameter = { name: string; in: string; required?: boolean; schema: Schema };
type Body = { required?: boolean; content?: Record<string, { schema?: Schema }> };
type Ref<T> = T | { $ref: string };
type Operation = {
  operationId: string;
  summary?: string;
  description?: string;
  deprecated?: boolean;
  parameters?: Ref<Parameter>[];
  requestBody?: Ref<Body>;
  responses: Record<string, Ref<Body>>;
  'x-permission'?: string | string[];
};
type ApiDocument = {
  paths: Record<string, Record<string, Operation>>;
  components: {
    schemas: Record<string, Schema>;
    parameters?: Record<string, Parameter>;
    requestBodies?: Record<string, Body>;
    responses?: Record<string, Body>;
  };
};

const METHODS = ['get', 'put', 'post', 'delete', 'patch'];
const nameOf = (ref: string): string => ref.slice(ref.lastIndexOf('/') + 1);
const key = (name: string): string => (/^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name));
const union = (parts: string[]): string => [...new Set(parts)].join(' | ') || 'never';

function resolve<T extends object>(value: Ref<T>, named: Record<string, T> | undefined): T {
  if (!('$ref' in value) || typeof value.$ref !== 'string') return value as T;
  const found = named?.[nameOf(value.$ref)];
  if (!found) throw new Error(`openapi.json has no ${value.$ref}`);
  return found;
}

function writeObject(schema: Schema): string {
  const fields = Object.entries(schema.properties ?? {}).map(
    ([name, field]) => `${key(name)}${schema.required?.includes(name) ? '' : '?'}: ${write(field)}`,
  );
  const others = schema.additionalProperties;
  if (typeof others === 'object') fields.push(`[key: string]: ${fields.length ? 'unknown' : write(others)}`);
  else if (fields.length === 0) return 'Record<string, unknown>';
  return `{ ${fields.join('; ')} }`;
}

function writeType(type: string, schema: Schema): string {
  if (type === 'integer' || type === 'number') return 'number';
  if (type === 'array') return schema.items ? `Array<${write(schema.items)}>` : 'unknown[]';
  return type === 'object' ? writeObject(schema) : type;
}

function write(schema: Schema): string {
  if (schema.$ref) return `schemas['${nameOf(schema.$ref)}']`;
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum) return union(schema.enum.map(value => JSON.stringify(value)));
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices) return `(${union(choices.map(write))})`;
  if (schema.allOf) return schema.allOf.map(write).join(' & ');
  if (schema.type === undefined) return schema.properties ? writeObject(schema) : 'unknown';
  const types = [schema.type].flat();
  return types.length === 1
    ? writeType(String(types[0]), schema)
    : `(${union(types.map(type => writeType(type, schema)))})`;
}

/** Query parameters are strings: the API declares numbers and lists as string patterns, so numbers are accepted too. */
function writeParameters(all: Parameter[], place: string): string {
  const some = all.filter(parameter => parameter.in === place);
  const fields = some.map(({ name, required, schema }) => {
    const type =
      place === 'query' && schema.type === 'string' && !schema.enum ? 'string | number' : write(schema);
    return `${key(name)}${required ? '' : '?'}: ${type}`;
  });
  const optional = some.some(parameter => parameter.required) ? '' : '?';
  return `${place}${optional}: ${fields.length ? `{ ${fields.join('; ')} }` : 'never'}`;
}

/** openapi-fetch reads a JSON body from this shape. Other media types are strings or streams. */
function writeContent({ content = {} }: Body): string {
  const types = Object.entries(content).map(
    ([media, { schema }]) => `${JSON.stringify(media)}: ${schema ? write(schema) : 'unknown'}`,
  );
  return `{ content: ${types.length ? `{ ${types.join('; ')} }` : 'never'} }`;
}

function writeOperation(operation: Operation, { components }: ApiDocument): string {
  const all = (operation.parameters ?? []).map(one => resolve(one, components.parameters));
  const places = ['query', 'path', 'header'].map(place => writeParameters(all, place));
  const parts = [`parameters: { ${places.join('; ')} }`];
  if (operation.requestBody) {
    const body = resolve(operation.requestBody, components.requestBodies);
    parts.push(`requestBody${body.required ? '' : '?'}: ${writeContent(body)}`);
  }
  const responses = Object.entries(operation.responses).map(
    ([status, response]) => `${status}: ${writeContent(resolve(response, components.responses))}`,
  );
  return `{ ${parts.join('; ')}; responses: { ${responses.join('; ')} } }`;
}

/** The content of api.gen.ts. */
export function writeApiTypes(api: ApiDocument): string {
  const lines = [
    '// Written by `npm run api-types` from openapi.json. Do not edit.',
    'export interface schemas {',
  ];
  for (const [name, schema] of Object.entries(api.components.schemas))
    lines.push(`  ${key(name)}: ${write(schema)};`);
  lines.push('}', '', 'export interface paths {');
  const permissions: string[] = [];
  for (const [path, item] of Object.entries(api.paths)) {
    lines.push(`  ${JSON.stringify(path)}: {`);
    for (const method of METHODS) {
      const operation = item[method];
      if (!operation) continue;
      lines.push(
        `    /** ${operation.summary ?? operation.operationId}${operation.deprecated ? ' @deprecated' : ''} */`,
      );
      lines.push(`    ${method}: ${writeOperation(operation, api)};`);
      const permission = operation['x-permission'];
      if (Array.isArray(permission))
        permissions.push(`  ${operation.operationId}: ${JSON.stringify(permission)},`);
    }
    lines.push('  };');
  }
  lines.push(
    '}',
    '',
    '/** The permissions for each operation. The caller needs one of them. */',
    'export const permissionsOf = {',
  );
  return [...lines, ...permissions, '} as const;', ''].join('\n');
}

/** The content of events.gen.ts. A separate file, because the first page does not need it. */
export function writeEvents(api: ApiDocument): string {
  const lines = Object.entries(api.paths).flatMap(([path, item]) =>
    METHODS.flatMap(method => {
      // register.ts writes this sentence from the definition of the operation.
      const events = /Events: ([a-z-]+(?:, [a-z-]+)*)/
        .exec(item[method]?.description ?? '')?.[1]
        ?.split(', ');
      const types = events?.filter(type => api.components.schemas.EventType?.enum?.includes(type));
      return types
        ? [`  ${JSON.stringify(`${method.toUpperCase()} ${path}`)}: ${JSON.stringify(types)},`]
        : [];
    }),
  );
  return [
    '// Written by `npm run api-types` from openapi.json. Do not edit.',
    "import type { schemas } from './api.gen.ts';",
    '',
    '/** The types of the events that an operation can record. */',
    "export const eventsOf: Partial<Record<string, readonly schemas['EventType'][]>> = {",
    ...lines,
    '};',
    '',
  ].join('\n');
}

export const readApiDocument = (): ApiDocument =>
  JSON.parse(readFileSync(new URL('../../openapi.json', import.meta.url), 'utf8'));

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const api = readApiDocument();
  writeFileSync(new URL('../src/api/api.gen.ts', import.meta.url), writeApiTypes(api));
  writeFileSync(new URL('../src/api/events.gen.ts', import.meta.url), writeEvents(api));
  writeFileSync(new URL('../operations.md', import.meta.url), writeOperations(api));
}
