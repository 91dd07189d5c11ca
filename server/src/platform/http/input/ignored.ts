import { badData, type Violation } from '@halyard/plane/platform/errors.ts';
import type { App } from '@halyard/plane/platform/http/app.ts';
import { unknownName } from '@halyard/plane/platform/http/input/unknown-name.ts';
import type { FastifyRequest } from 'fastify';

/**
 * The location of a name that no schema mentions: the part of the request, and the path of field names and list positions, which
 * ends with the name.
 */
export type IgnoredProperty = { part: 'query' | 'body'; path: (string | number)[] };

declare module 'fastify' {
  interface FastifyContextConfig {
    /**
     * Rejects a query parameter that differs from a known one only in case, for operations where ignoring it would be harmful. For
     * example, `dryrun=true` would create a clone instead of a preview.
     */
    rejectCaseVariants?: boolean;
    /**
     * Rejects every body field that no schema mentions, for operations that create a secret or grant permissions or access. For
     * example, a token with `enviroment` would be valid in the default environment. The listed fields have no effect and are
     * accepted, because Unleash clients send them. Fields of objects and lists are written with dots: `permissions.id`.
     */
    rejectUnknownFieldsExcept?: readonly string[];
    /** Fields of the body that have no effect although the schema allows them. */
    ignoredPaths?: (body: unknown) => string[][];
    /** Returns the content of the Halyard-Hint header, which says what is probably wrong with a valid query. */
    hint?: (query: Record<string, unknown>) => string | undefined;
  }
  interface FastifyRequest {
    /** Parameters and fields that have no effect. */
    ignored: readonly IgnoredProperty[];
  }
}

type Schema = {
  $ref?: string;
  properties?: Record<string, Schema>;
  patternProperties?: Record<string, Schema>;
  additionalProperties?: boolean | Schema;
  items?: Schema;
  anyOf?: Schema[];
  oneOf?: Schema[];
  allOf?: Schema[];
};
type FindSchema = (name: string) => unknown;

const MAX_UNKNOWN_NAMES = 100;
const MAX_HEADER_NAMES = 20;
const MAX_SUGGESTED = 20;
const MAX_NAME_LENGTH = 40;
const MAX_PATH_LENGTH = 200;

/**
 * Reports fields and parameters that no schema mentions. They have no effect, as in Unleash, so a misspelled name would silently lose
 * data or widen a search. The response names them in a header. With `Prefer: handling=strict` they are rejected. A write without a dry
 * run always rejects `dryRun`, because its caller expects that nothing changes.
 */
export function installIgnored(app: App): void {
  app.decorateRequest('ignored');
  app.addHook('preValidation', async (request, reply) => {
    // Nothing in a request to an unknown path has any effect, as the 404 already says.
    if (request.is404) {
      request.ignored = [];
      return;
    }
    const isStrictRequest = isStrict(request);
    if (isStrictRequest) reply.header('preference-applied', 'handling=strict');
    request.ignored = findIgnoredInput(request, name => app.getSchema(name));
    if (request.ignored.length === 0) return;
    reply.header('halyard-ignored', formatIgnoredHeader(request.ignored));
    const violations = findUnknownNameViolations(request);
    if (violations.length > 0) throw badData(violations);
    const variants = request.routeOptions.config.rejectCaseVariants ? findCaseVariants(request) : [];
    if (variants.length > 0) throw badData(variants);
  });
  app.addHook('preHandler', async (request, reply) => {
    const hint = request.routeOptions.config.hint?.(request.query as Record<string, unknown>);
    if (hint !== undefined) reply.header('halyard-hint', encodeHint(hint));
  });
}

/**
 * Encodes a hint for a header, whose value must be ASCII. A hint quotes what the caller sent, so everything else is
 * percent-encoded.
 */
const encodeHint = (hint: string): string =>
  hint.toWellFormed().replace(/[^\x20-\x7e]+/g, encodeURIComponent);

/**
 * Returns whether the caller prefers strict handling. In RFC 7240, preferences are separated by commas, and the header may appear
 * several times.
 */
function isStrict({ headers }: FastifyRequest): boolean {
  return /(^|[,;\s])handling\s*=\s*"?strict"?($|[,;\s])/i.test(String(headers.prefer ?? ''));
}

/** Returns a violation for each name that has no effect but must not be ignored. */
export function findUnknownNameViolations(request: FastifyRequest): Violation[] {
  const { routeOptions, server } = request;
  const { querystring = {}, body = {} } = (routeOptions.schema ?? {}) as Record<string, Schema | undefined>;
  const schemas = { query: querystring, body };
  return selectRejectedNames(request).map((property, index) => {
    const { part, path } = property;
    const pointer = `/${part}/${path.join('/')}`;
    if (isUnsupportedDryRun(request, property))
      return { message: unsupportedDryRun(String(path[0])), path: pointer };
    const suggestions =
      index < MAX_SUGGESTED ? listSiblingNames(path, schemas[part], name => server.getSchema(name)) : [];
    return { message: unknownName(part, path.join('.'), suggestions), path: pointer };
  });
}

function selectRejectedNames(request: FastifyRequest): readonly IgnoredProperty[] {
  if (isStrict(request)) return request.ignored;
  const acceptedNames = request.routeOptions.config.rejectUnknownFieldsExcept;
  return request.ignored.filter(property => {
    const { part, path } = property;
    if (part === 'query') return isUnsupportedDryRun(request, property);
    return (
      acceptedNames !== undefined &&
      !acceptedNames.includes(path.filter(step => typeof step === 'string').join('.'))
    );
  });
}

/** Returns whether the caller asks a write for a dry run that the write does not have. */
function isUnsupportedDryRun(
  { method, routeOptions }: FastifyRequest,
  { part, path: [name] }: IgnoredProperty,
): boolean {
  if (part !== 'query' || String(name).toLowerCase() !== 'dryrun') return false;
  const { isQuery, onlyReads } = routeOptions.config;
  const { querystring } = (routeOptions.schema ?? {}) as { querystring?: Schema };
  const isWrite = !['GET', 'HEAD', 'OPTIONS'].includes(method) && !isQuery && !onlyReads;
  return isWrite && !Object.hasOwn(querystring?.properties ?? {}, 'dryRun');
}

const unsupportedDryRun = (name: string): string =>
  `This operation does not support "${name}", so nothing was changed. Omit the parameter to make the change.`;

/** Returns the names that the schema allows in place of the unknown name. */
function listSiblingNames(path: IgnoredProperty['path'], schema: Schema, find: FindSchema): string[] {
  const parents = path.slice(0, -1).reduce<Schema[]>(
    (schemas, part) => {
      const resolved = resolveSchemas(schemas, find);
      return resolved.flatMap(resolvedSchema =>
        typeof part === 'number' ? (resolvedSchema.items ?? []) : findFieldSchemas(resolvedSchema, part),
      );
    },
    [schema],
  );
  return resolveSchemas(parents, find).flatMap(({ properties = {} }) => Object.keys(properties));
}

function findCaseVariants({ ignored, routeOptions }: FastifyRequest): Violation[] {
  const { querystring } = (routeOptions.schema ?? {}) as { querystring?: Schema };
  const knownNames = Object.keys(querystring?.properties ?? {});
  return ignored.flatMap(({ part, path: [name] }) => {
    const intendedName = knownNames.find(knownName => knownName.toLowerCase() === String(name).toLowerCase());
    if (part !== 'query' || intendedName === undefined) return [];
    return [{ message: unknownName(part, String(name), [intendedName]), path: `/query/${name}` }];
  });
}

function findIgnoredInput(
  { query, body, routeOptions }: FastifyRequest,
  find: FindSchema,
): IgnoredProperty[] {
  const { querystring, body: bodySchema } = (routeOptions.schema ?? {}) as Record<string, Schema | undefined>;
  const queryPaths = findUnknownPaths(query, querystring ?? { properties: {} }, find);
  const bodyPaths = findUnknownPaths(body, bodySchema ?? { properties: {} }, find);
  const ignoredPaths = (routeOptions.config.ignoredPaths?.(body) ?? []).slice(0, MAX_UNKNOWN_NAMES);
  return [
    ...queryPaths.map(path => ({ part: 'query' as const, path })),
    ...[...bodyPaths, ...ignoredPaths].map(path => ({ part: 'body' as const, path })),
  ];
}

/**
 * Finds the first hundred names that no schema mentions. The parser bounds the number of values in a body
 * (platform/http/input/json.ts).
 */
export function findUnknownPaths(
  value: unknown,
  schema: Schema,
  find: FindSchema,
): IgnoredProperty['path'][] {
  const paths: IgnoredProperty['path'][] = [];
  const walk = (part: unknown, schemas: Schema[], path: IgnoredProperty['path']): void => {
    if (typeof part !== 'object' || part === null || paths.length >= MAX_UNKNOWN_NAMES) return;
    const resolved = resolveSchemas(schemas, find);
    if (Array.isArray(part)) {
      const items = resolved.flatMap(resolvedSchema => resolvedSchema.items ?? []);
      if (items.length > 0) for (const [index, item] of part.entries()) walk(item, items, [...path, index]);
      return;
    }
    if (resolved.some(isOpen)) return;
    for (const [name, item] of Object.entries(part)) {
      const fieldSchemas = resolved.flatMap(resolvedSchema => findFieldSchemas(resolvedSchema, name));
      if (fieldSchemas.length > 0) walk(item, fieldSchemas, [...path, name]);
      else if (paths.length < MAX_UNKNOWN_NAMES) paths.push([...path, name]);
    }
  };
  walk(value, [schema], []);
  return paths;
}

/**
 * Returns the schemas together with those of their references and alternatives. A field is known if any alternative defines it.
 */
function resolveSchemas(schemas: Schema[], find: FindSchema): Schema[] {
  return schemas.flatMap(schema => {
    const { $ref, anyOf, oneOf, allOf } = schema;
    const referencedSchemas =
      $ref === undefined ? [] : [find($ref.replace(/#.*$/, '')) as Schema | undefined];
    const inner = [...referencedSchemas, ...(anyOf ?? []), ...(oneOf ?? []), ...(allOf ?? [])];
    return [
      schema,
      ...resolveSchemas(
        inner.filter(innerSchema => innerSchema !== undefined),
        find,
      ),
    ];
  });
}

/** Returns true if the schema accepts arbitrary fields, or if Ajv already rejects unknown ones (`additionalProperties: false`). */
const isOpen = ({ $ref, properties, patternProperties, additionalProperties, anyOf, oneOf, allOf }: Schema) =>
  typeof additionalProperties === 'boolean' ||
  ![$ref, properties, patternProperties, additionalProperties, anyOf, oneOf, allOf].some(Boolean);

function findFieldSchemas(schema: Schema, name: string): Schema[] {
  const { properties = {}, patternProperties = {}, additionalProperties } = schema;
  const property = Object.hasOwn(properties, name) ? properties[name] : undefined;
  if (property !== undefined) return [property];
  // Every key of a map is known. The validator checks the pattern of its keys.
  const mapSchemas = Object.values(patternProperties);
  return typeof additionalProperties === 'object' ? [...mapSchemas, additionalProperties] : mapSchemas;
}

/** Lists the names for the header. Positions are omitted, so that a field of a thousand items is listed once. */
function formatIgnoredHeader(ignored: readonly IgnoredProperty[]): string {
  const names = [
    ...new Set(ignored.map(({ path }) => path.map(formatPathPart).join('.').replaceAll('.[]', '[]'))),
  ];
  const shownNames = names.slice(0, MAX_HEADER_NAMES).map(name => name.slice(0, MAX_PATH_LENGTH));
  return [...shownNames, ...(names.length > MAX_HEADER_NAMES ? ['...'] : [])].join(', ');
}

const formatPathPart = (part: string | number): string =>
  typeof part === 'number' ? '[]' : encodeURIComponent(part.slice(0, MAX_NAME_LENGTH).toWellFormed());
