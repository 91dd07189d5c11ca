// Generates three files from openapi.json: src/api/api.gen.ts has the types that openapi-fetch reads and each operation's
// permission, src/api/events.gen.ts has each operation's events, and operations.md lists where the console calls each operation.
// This script replaces openapi-typescript, because version 7 does not run with TypeScript 7.
import { readFileSync, writeFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { renderOperations } from './operations.ts';

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
const getRefName = (ref: string): string => ref.slice(ref.lastIndexOf('/') + 1);
const formatKey = (name: string): string => (/^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name));
const formatUnion = (parts: string[]): string => [...new Set(parts)].join(' | ') || 'never';

function resolve<T extends object>(value: Ref<T>, components: Record<string, T> | undefined): T {
  if (!('$ref' in value) || typeof value.$ref !== 'string') return value as T;
  const component = components?.[getRefName(value.$ref)];
  if (!component) throw new Error(`openapi.json has no ${value.$ref}`);
  return component;
}

function renderObject(schema: Schema): string {
  const fields = Object.entries(schema.properties ?? {}).map(
    ([name, field]) =>
      `${formatKey(name)}${schema.required?.includes(name) ? '' : '?'}: ${renderSchema(field)}`,
  );
  const additional = schema.additionalProperties;
  if (typeof additional === 'object')
    fields.push(`[key: string]: ${fields.length ? 'unknown' : renderSchema(additional)}`);
  else if (fields.length === 0) return 'Record<string, unknown>';
  return `{ ${fields.join('; ')} }`;
}

function renderType(type: string, schema: Schema): string {
  if (type === 'integer' || type === 'number') return 'number';
  if (type === 'array') return schema.items ? `Array<${renderSchema(schema.items)}>` : 'unknown[]';
  return type === 'object' ? renderObject(schema) : type;
}

function renderSchema(schema: Schema): string {
  if (schema.$ref) return `schemas['${getRefName(schema.$ref)}']`;
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum) return formatUnion(schema.enum.map(value => JSON.stringify(value)));
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices) return `(${formatUnion(choices.map(renderSchema))})`;
  if (schema.allOf) return schema.allOf.map(renderSchema).join(' & ');
  if (schema.type === undefined) return schema.properties ? renderObject(schema) : 'unknown';
  const types = [schema.type].flat();
  return types.length === 1
    ? renderType(String(types[0]), schema)
    : `(${formatUnion(types.map(type => renderType(type, schema)))})`;
}

/** Query parameters of type string also accept numbers, because the API declares numbers and lists as string patterns. */
function renderParameters(parameters: Parameter[], location: string): string {
  const located = parameters.filter(parameter => parameter.in === location);
  const fields = located.map(({ name, required, schema }) => {
    const type =
      location === 'query' && schema.type === 'string' && !schema.enum
        ? 'string | number'
        : renderSchema(schema);
    return `${formatKey(name)}${required ? '' : '?'}: ${type}`;
  });
  const optionalMark = located.some(parameter => parameter.required) ? '' : '?';
  return `${location}${optionalMark}: ${fields.length ? `{ ${fields.join('; ')} }` : 'never'}`;
}

/** Renders a body in the shape that openapi-fetch expects. */
function renderContent({ content = {} }: Body): string {
  const bodies = Object.entries(content).map(
    ([media, { schema }]) => `${JSON.stringify(media)}: ${schema ? renderSchema(schema) : 'unknown'}`,
  );
  return `{ content: ${bodies.length ? `{ ${bodies.join('; ')} }` : 'never'} }`;
}

function renderOperation(operation: Operation, { components }: ApiDocument): string {
  const parameters = (operation.parameters ?? []).map(parameter => resolve(parameter, components.parameters));
  const locations = ['query', 'path', 'header'].map(location => renderParameters(parameters, location));
  const parts = [`parameters: { ${locations.join('; ')} }`];
  if (operation.requestBody) {
    const body = resolve(operation.requestBody, components.requestBodies);
    parts.push(`requestBody${body.required ? '' : '?'}: ${renderContent(body)}`);
  }
  const responses = Object.entries(operation.responses).map(
    ([status, response]) => `${status}: ${renderContent(resolve(response, components.responses))}`,
  );
  return `{ ${parts.join('; ')}; responses: { ${responses.join('; ')} } }`;
}

/** Returns the contents of api.gen.ts. */
export function renderApiTypes(api: ApiDocument): string {
  const lines = [
    '// Written by `npm run api-types` from openapi.json. Do not edit.',
    'export interface schemas {',
  ];
  for (const [name, schema] of Object.entries(api.components.schemas))
    lines.push(`  ${formatKey(name)}: ${renderSchema(schema)};`);
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
      lines.push(`    ${method}: ${renderOperation(operation, api)};`);
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
    'export const permissionsByOperation = {',
  );
  return [...lines, ...permissions, '} as const;', ''].join('\n');
}

/** Returns the contents of events.gen.ts, which is a separate file because the first page load does not need it. */
export function renderEvents(api: ApiDocument): string {
  const lines = Object.entries(api.paths).flatMap(([path, item]) =>
    METHODS.flatMap(method => {
      // register.ts writes this sentence from the operation's definition.
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
    "export const eventTypesByRoute: Partial<Record<string, readonly schemas['EventType'][]>> = {",
    ...lines,
    '};',
    '',
  ].join('\n');
}

export const readApiDocument = (): ApiDocument =>
  JSON.parse(readFileSync(new URL('../../openapi.json', import.meta.url), 'utf8'));

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const api = readApiDocument();
  writeFileSync(new URL('../src/api/api.gen.ts', import.meta.url), renderApiTypes(api));
  writeFileSync(new URL('../src/api/events.gen.ts', import.meta.url), renderEvents(api));
  writeFileSync(new URL('../operations.md', import.meta.url), renderOperations(api));
}
