import { STATUS_CODES } from 'node:http';
import { isDeepStrictEqual } from 'node:util';

type Schema = Record<string, unknown>;
type Schemas = Record<string, Schema>;
type Parameter = { name: string; schema?: Schema };
type Response = { content?: Content };
type Content = Record<string, { schema?: Schema }>;
type Reference = { $ref: string };
type Operation = {
  parameters?: (Parameter | Reference)[];
  requestBody?: { content: Content };
  responses?: Record<string, Response | Reference>;
};
type Document = {
  paths?: Record<string, Record<string, Operation>>;
  components?: { schemas?: Schemas };
};

/**
 * Moves schemas with a title, parameters that several operations share and common error responses into components, and replaces
 * each of them with a reference. Generated clients name their types after the components.
 */
export function shareComponents<T extends object>(document: T): T {
  const { paths = {}, components = {} } = document as Document;
  const operations = Object.values(paths).flatMap(path => Object.values(path));
  const schemas = new Components('schemas');
  for (const [name, schema] of Object.entries(components.schemas ?? {}))
    shareSchema({ ...schema, title: name }, schemas);
  for (const operation of operations) {
    for (const content of listContents(operation)) {
      for (const media of Object.values(content)) {
        if (media.schema) media.schema = shareSchema(media.schema, schemas);
      }
    }
  }
  const parameters = shareParameters(operations);
  const responses = shareResponses(operations);
  Object.assign(components, {
    schemas: schemas.sorted(),
    parameters: parameters.sorted(),
    responses: responses.sorted(),
  });
  return document;
}

/** The components of one kind, by name. */
class Components {
  readonly #kind: string;
  readonly #named = new Map<string, object>();

  constructor(kind: string) {
    this.#kind = kind;
  }

  /** Adds a component, unless it already exists, and returns a reference to it. */
  add(name: string, component: object): Reference {
    const knownComponent = this.#named.get(name) ?? component;
    if (!isDeepStrictEqual(knownComponent, component)) {
      throw new Error(
        `Two different ${this.#kind} in the API document are called ${name}. Give one of them a different title.\n` +
          `${JSON.stringify(knownComponent)}\n${JSON.stringify(component)}`,
      );
    }
    this.#named.set(name, component);
    return { $ref: `#/components/${this.#kind}/${name}` };
  }

  sorted(): Record<string, object> {
    return Object.fromEntries([...this.#named].toSorted(([a], [b]) => (a < b ? -1 : 1)));
  }
}

const listContents = ({ requestBody, responses = {} }: Operation): Content[] =>
  [requestBody, ...Object.values(responses)].flatMap(
    part => (part && 'content' in part ? part.content : []) ?? [],
  );

const SCHEMA_LISTS = ['anyOf', 'oneOf', 'allOf'];
const SCHEMA_MAPS = ['properties', 'patternProperties'];
const SINGLE_SCHEMAS = ['items', 'additionalProperties', 'not'];

/** Replaces each part that has a title with a reference. If the schema itself has a title, returns a reference to it. */
function shareSchema({ title, ...schema }: Schema, schemas: Components): Schema {
  const share = (part: unknown) => (isObject(part) ? shareSchema(part, schemas) : part);
  const sharedSchema = Object.fromEntries(
    Object.entries(schema).map(([keyword, value]) => {
      if (SCHEMA_LISTS.includes(keyword)) return [keyword, (value as unknown[]).map(share)];
      if (SINGLE_SCHEMAS.includes(keyword)) return [keyword, share(value)];
      if (!SCHEMA_MAPS.includes(keyword)) return [keyword, value];
      const parts = Object.entries(value as Schema).map(([name, part]) => [name, share(part)]);
      return [keyword, Object.fromEntries(parts)];
    }),
  );
  if (typeof title !== 'string') return sharedSchema;
  // The example of a body stays with the operation, where @fastify/swagger puts it.
  const { examples: _, ...component } = sharedSchema;
  return schemas.add(title, component);
}

/**
 * Turns parameters that several operations share into components. A component is named after the title of its schema, or after
 * the parameter.
 */
function shareParameters(operations: Operation[]): Components {
  const components = new Components('parameters');
  const parameters = operations.flatMap(({ parameters = [] }) => parameters as Parameter[]);
  const count = countEqual(parameters);
  for (const operation of operations) {
    operation.parameters &&= (operation.parameters as Parameter[]).map(parameter => {
      const { title, ...schema } = parameter.schema ?? {};
      const untitled = { ...parameter, schema };
      if (count(parameter) === 1) return untitled;
      return components.add(pascalCase(typeof title === 'string' ? title : parameter.name), untitled);
    });
  }
  return components;
}

/**
 * Turns error responses and empty responses into components, one for each status and named after it. A response that differs from
 * the common one stays inline in its operation.
 */
function shareResponses(operations: Operation[]): Components {
  const components = new Components('responses');
  const entries = operations.flatMap(({ responses = {} }) =>
    Object.entries(responses as Record<string, Response>).filter(
      ([status, { content }]) => Number(status) >= 400 || content === undefined,
    ),
  );
  const count = countEqual(entries);
  const commonResponses = new Map<string, Response>();
  for (const entry of entries) {
    const [status, response] = entry;
    const commonResponse = commonResponses.get(status);
    if (count(entry) > (commonResponse ? count([status, commonResponse]) : 1))
      commonResponses.set(status, response);
  }
  for (const { responses = {} } of operations) {
    for (const [status, response] of Object.entries(responses)) {
      if (!isDeepStrictEqual(response, commonResponses.get(status))) continue;
      responses[status] = components.add(pascalCase(STATUS_CODES[status] ?? status), response);
    }
  }
  return components;
}

/** Returns a function that returns how often a value occurs in the list. */
function countEqual(values: unknown[]): (value: unknown) => number {
  const counts = new Map<string, number>();
  for (const text of values.map(value => JSON.stringify(value)))
    counts.set(text, (counts.get(text) ?? 0) + 1);
  return value => counts.get(JSON.stringify(value)) ?? 0;
}

/** Turns `projectId` into ProjectId, `Idempotency-Key` into IdempotencyKey, and `Not Found` into NotFound. */
const pascalCase = (text: string): string =>
  text
    .split(/[^A-Za-z0-9]+/)
    .map(word => word.slice(0, 1).toUpperCase() + word.slice(1))
    .join('');

const isObject = (value: unknown): value is Schema =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
