import type { FastifyRequest } from 'fastify';
import { badData, type Violation } from '../../../../../plane/src/platform/errors.ts';
import type { App } from '../../../../../plane/src/platform/http/app.ts';
import { unknownName } from '../../../../../plane/src/platform/http/input/unknown-name.ts';

/** The location of a name that no schema mentions: the part of the request, then field names and positions in lists. */
export type Ignored = { part: 'query' | 'body'; place: (string | number)[] };

declare module 'fastify' {
  interface FastifyContextConfig {
    /**
     * Rejects a query parameter that differs from a known one by case only, for operations where ignoring it does harm:
     * a clone with `dryrun=true` would be carried out.
     */
    rejectCaseVariants?: boolean;
    /**
     * Rejects every body field that no schema mentions, for operations that create a secret, a permission or access: a token with
     * `enviroment` would be valid in the default environment. The listed fields have no effect and are accepted, because Unleash
     * clients send them. Fields of objects and lists are written with dots: `permissions.id`.
     */
    rejectUnknownFields?: readonly string[];
    /** Fields of the body that have no effect although the schema allows them. */
    ignoredPaths?: (body: unknown) => string[][];
    /** What the response says in the header Halyard-Hint about a query that is valid but probably not what was meant. */
    hint?: (query: Record<string, unknown>) => string | undefined;
  }
  interface FastifyRequest {
    /** Parameters and fields that have no effect. */
    ignored: readonly Ignored[];
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

const MAX_FOUND = 100;
const MAX_NAMED = 20;
const MAX_SUGGESTED = 20;
const MAX_NAME_LENGTH = 40;
const MAX_PLACE_LENGTH = 200;

/**
 * A field or parameter that no schema mentions has no effect, as in Unleash. A misspelt one would silently lose data or widen a
 * search, so the response names it in a header. With `Prefer: handling=strict` it is rejected.
 */
export function installIgnored(app: App): void {
  app.decorateRequest('ignored');
  app.addHook('preValidation', async (request, reply) => {
    // Nothing in a request to an unknown path has an effect, as the 404 says.
    if (request.is404) {
      request.ignored = [];
      return;
    }
    const strict = isStrict(request);
    if (strict) reply.header('preference-applied', 'handling=strict');
    request.ignored = ignoredInput(request, name => app.getSchema(name));
    if (request.ignored.length === 0) return;
    reply.header('halyard-ignored', headerOf(request.ignored));
    const unknown = unknownNameViolations(request);
    if (unknown.length > 0) throw badData(unknown);
    const variants = request.routeOptions.config.rejectCaseVariants ? caseVariants(request) : [];
    if (variants.length > 0) throw badData(variants);
  });
  app.addHook('preHandler', async (request, reply) => {
    const hint = request.routeOptions.config.hint?.(request.query as Record<string, unknown>);
    if (hint !== undefined) reply.header('halyard-hint', hintHeader(hint));
  });
}

/** Header values are ASCII. A hint quotes what the caller sent, so everything else is percent-encoded. */
const hintHeader = (hint: string): string =>
  hint.toWellFormed().replace(/[^\x20-\x7e]+/g, encodeURIComponent);

/** RFC 7240: preferences are separated by commas, and a header may appear several times. */
function isStrict({ headers }: FastifyRequest): boolean {
  return /(^|[,;\s])handling\s*=\s*"?strict"?($|[,;\s])/i.test(String(headers.prefer ?? ''));
}

/** A violation for each name that has no effect and may not be ignored. */
export function unknownNameViolations(request: FastifyRequest): Violation[] {
  const { routeOptions, server } = request;
  const { querystring = {}, body = {} } = (routeOptions.schema ?? {}) as Record<string, Schema | undefined>;
  const schemas = { query: querystring, body };
  return rejectedNames(request).map(({ part, place }, at) => {
    const known =
      at < MAX_SUGGESTED ? siblingNames(place, schemas[part], name => server.getSchema(name)) : [];
    return { message: unknownName(part, place.join('.'), known), path: `/${part}/${place.join('/')}` };
  });
}

function rejectedNames(request: FastifyRequest): readonly Ignored[] {
  if (isStrict(request)) return request.ignored;
  const accepted = request.routeOptions.config.rejectUnknownFields;
  if (accepted === undefined) return [];
  return request.ignored.filter(
    ({ part, place }) =>
      part === 'body' && !accepted.includes(place.filter(step => typeof step === 'string').join('.')),
  );
}

/** The names that the schema allows in place of an unknown one. */
function siblingNames(place: Ignored['place'], schema: Schema, find: FindSchema): string[] {
  const parents = place.slice(0, -1).reduce<Schema[]>(
    (schemas, part) => {
      const known = resolved(schemas, find);
      return known.flatMap(one => (typeof part === 'number' ? (one.items ?? []) : fieldSchemas(one, part)));
    },
    [schema],
  );
  return resolved(parents, find).flatMap(({ properties = {} }) => Object.keys(properties));
}

function caseVariants({ ignored, routeOptions }: FastifyRequest): Violation[] {
  const { querystring } = (routeOptions.schema ?? {}) as { querystring?: Schema };
  const known = Object.keys(querystring?.properties ?? {});
  return ignored.flatMap(({ part, place: [given] }) => {
    const meant = known.find(name => name.toLowerCase() === String(given).toLowerCase());
    if (part !== 'query' || meant === undefined) return [];
    return [{ message: unknownName(part, String(given), [meant]), path: `/query/${given}` }];
  });
}

function ignoredInput({ query, body, routeOptions }: FastifyRequest, find: FindSchema): Ignored[] {
  const { querystring, body: bodySchema } = (routeOptions.schema ?? {}) as Record<string, Schema | undefined>;
  const inQuery = unknownPlaces(query, querystring ?? { properties: {} }, find);
  const inBody = unknownPlaces(body, bodySchema ?? { properties: {} }, find);
  const allowed = (routeOptions.config.ignoredPaths?.(body) ?? []).slice(0, MAX_FOUND);
  return [
    ...inQuery.map(place => ({ part: 'query' as const, place })),
    ...[...inBody, ...allowed].map(place => ({ part: 'body' as const, place })),
  ];
}

/** The first hundred; the number of values in a body is bounded by its parser (platform/http/input/json.ts). */
export function unknownPlaces(value: unknown, schema: Schema, find: FindSchema): Ignored['place'][] {
  const found: Ignored['place'][] = [];
  const walk = (part: unknown, schemas: Schema[], place: Ignored['place']): void => {
    if (typeof part !== 'object' || part === null || found.length >= MAX_FOUND) return;
    const known = resolved(schemas, find);
    if (Array.isArray(part)) {
      const items = known.flatMap(one => one.items ?? []);
      if (items.length > 0) for (const [at, item] of part.entries()) walk(item, items, [...place, at]);
      return;
    }
    if (known.some(isOpen)) return;
    for (const [name, item] of Object.entries(part)) {
      const schemasOfField = known.flatMap(one => fieldSchemas(one, name));
      if (schemasOfField.length > 0) walk(item, schemasOfField, [...place, name]);
      else if (found.length < MAX_FOUND) found.push([...place, name]);
    }
  };
  walk(value, [schema], []);
  return found;
}

/** The schemas themselves, with references and alternatives followed: a field is known if one alternative knows it. */
function resolved(schemas: Schema[], find: FindSchema): Schema[] {
  return schemas.flatMap(schema => {
    const { $ref, anyOf, oneOf, allOf } = schema;
    const referred = $ref === undefined ? [] : [find($ref.replace(/#.*$/, '')) as Schema | undefined];
    const inner = [...referred, ...(anyOf ?? []), ...(oneOf ?? []), ...(allOf ?? [])];
    return [
      schema,
      ...resolved(
        inner.filter(one => one !== undefined),
        find,
      ),
    ];
  });
}

/** True if the schema accepts arbitrary fields, or if Ajv already rejects unknown ones (`additionalProperties: false`). */
const isOpen = ({ $ref, properties, patternProperties, additionalProperties, anyOf, oneOf, allOf }: Schema) =>
  typeof additionalProperties === 'boolean' ||
  ![$ref, properties, patternProperties, additionalProperties, anyOf, oneOf, allOf].some(Boolean);

function fieldSchemas(schema: Schema, name: string): Schema[] {
  const { properties = {}, patternProperties = {}, additionalProperties } = schema;
  const own = Object.hasOwn(properties, name) ? properties[name] : undefined;
  if (own !== undefined) return [own];
  // Every key of a map is known. The validator checks the pattern of its keys.
  const ofMap = Object.values(patternProperties);
  return typeof additionalProperties === 'object' ? [...ofMap, additionalProperties] : ofMap;
}

/** Positions are omitted, so that a field of a thousand items is named once. */
function headerOf(ignored: readonly Ignored[]): string {
  const names = [
    ...new Set(ignored.map(({ place }) => place.map(headerPart).join('.').replaceAll('.[]', '[]'))),
  ];
  const shown = names.slice(0, MAX_NAMED).map(name => name.slice(0, MAX_PLACE_LENGTH));
  return [...shown, ...(names.length > MAX_NAMED ? ['...'] : [])].join(', ');
}

const headerPart = (part: string | number): string =>
  typeof part === 'number' ? '[]' : encodeURIComponent(part.slice(0, MAX_NAME_LENGTH).toWellFormed());
