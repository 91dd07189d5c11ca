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
 * Writes every schema with a title, every parameter of several operations and the usual error responses once, as
 * components, and refers to them. Generated clients take the names of their types from the components.
 */
export function shareComponents<T extends object>(document: T): T {
  const { paths = {}, components = {} } = document as Document;
  const operations = Object.values(paths).flatMap(path => Object.values(path));
  const schemas = new Components('schemas');
  for (const [name, schema] of Object.entries(components.schemas ?? {})) {
    shareSchema({ ...schema, title: name }, schemas);
  }
  for (const operation of operations) {
    for (const content of contentsOf(operation)) {
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

  /** Adds a component, unless it is there already, and returns the reference to it. */
  refer(name: string, component: object): Reference {
    const known = this.#named.get(name) ?? component;
    if (!isDeepStrictEqual(known, component)) {
      throw new Error(
        `Two different ${this.#kind} of the API document are called ${name}. Give one of them a different title.\n` +
          `${JSON.stringify(known)}\n${JSON.stringify(component)}`,
      );
    }
    this.#named.set(name, component);
    return { $ref: `#/components/${this.#kind}/${name}` };
  }

  sorted(): Record<string, object> {
    return Object.fromEntries([...this.#named].toSorted(([a], [b]) => (a < b ? -1 : 1)));
  }
}

const contentsOf = ({ requestBody, responses = {} }: Operation): Content[] =>
  [requestBody, ...Object.values(responses)].flatMap(
    part => (part && 'content' in part ? part.content : []) ?? [],
  );

const LISTS = ['anyOf', 'oneOf', 'allOf'];
const MAPS = ['properties', 'patternProperties'];
const SINGLE = ['items', 'additionalProperties', 'not'];

/** The schema with a reference in place of each part that has a title, or the reference to the schema itself. */
function shareSchema({ title, ...schema }: Schema, schemas: Components): Schema {
  const share = (part: unknown) => (isObject(part) ? shareSchema(part, schemas) : part);
  const shared = Object.fromEntries(
    Object.entries(schema).map(([keyword, value]) => {
      if (LISTS.includes(keyword)) return [keyword, (value as unknown[]).map(share)];
      if (SINGLE.includes(keyword)) return [keyword, share(value)];
      if (!MAPS.includes(keyword)) return [keyword, value];
      const parts = Object.entries(value as Schema).map(([name, part]) => [name, share(part)]);
      return [keyword, Object.fromEntries(parts)];
    }),
  );
  if (typeof title !== 'string') return shared;
  // The example of a body stays with the operation, where @fastify/swagger puts it.
  const { examples: _, ...component } = shared;
  return schemas.refer(title, component);
}

/**
 * Turns parameters that several operations share into components. A component is named after the title of its schema, or after
 * the parameter.
 */
function shareParameters(operations: Operation[]): Components {
  const shared = new Components('parameters');
  const all = operations.flatMap(({ parameters = [] }) => parameters as Parameter[]);
  const count = countEqual(all);
  for (const operation of operations) {
    operation.parameters &&= (operation.parameters as Parameter[]).map(parameter => {
      const { title, ...schema } = parameter.schema ?? {};
      const untitled = { ...parameter, schema };
      if (count(parameter) === 1) return untitled;
      return shared.refer(pascalCase(typeof title === 'string' ? title : parameter.name), untitled);
    });
  }
  return shared;
}

/**
 * Turns errors and empty responses into components, one for each status and named after it. An operation whose response differs
 * from the common one keeps its own.
 */
function shareResponses(operations: Operation[]): Components {
  const shared = new Components('responses');
  const all = operations.flatMap(({ responses = {} }) =>
    Object.entries(responses as Record<string, Response>).filter(
      ([status, { content }]) => Number(status) >= 400 || content === undefined,
    ),
  );
  const count = countEqual(all);
  const usual = new Map<string, Response>();
  for (const one of all) {
    const [status, response] = one;
    const known = usual.get(status);
    if (count(one) > (known ? count([status, known]) : 1)) usual.set(status, response);
  }
  for (const { responses = {} } of operations) {
    for (const [status, response] of Object.entries(responses)) {
      if (!isDeepStrictEqual(response, usual.get(status))) continue;
      responses[status] = shared.refer(pascalCase(STATUS_CODES[status] ?? status), response);
    }
  }
  return shared;
}

/** Counts how often each of these values occurs. */
function countEqual(values: unknown[]): (value: unknown) => number {
  const counts = new Map<string, number>();
  for (const text of values.map(value => JSON.stringify(value)))
    counts.set(text, (counts.get(text) ?? 0) + 1);
  return value => counts.get(JSON.stringify(value)) ?? 0;
}

/** `projectId` as ProjectId, `Idempotency-Key` as IdempotencyKey, `Not Found` as NotFound. */
const pascalCase = (text: string): string =>
  text
    .split(/[^A-Za-z0-9]+/)
    .map(word => word.slice(0, 1).toUpperCase() + word.slice(1))
    .join('');

const isObject = (value: unknown): value is Schema =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
