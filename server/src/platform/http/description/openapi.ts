import swagger from '@fastify/swagger';
import type { App } from '@halyard/plane/platform/http/app.ts';
import { SDK_TOKEN_SCHEMES } from '@halyard/plane/platform/http/description/token-schemes.ts';
import { ErrorBody, errorResponses, withBusyResponses } from '@halyard/plane/platform/http/schema.ts';
import { version } from '../../command-line.ts';
import { shareComponents } from './components.ts';
import { addResponseExamples } from './examples.ts';

/** Generates the API document from the schemas that validate requests and serialize responses. */
export async function installOpenApi(
  app: App,
  publicUrl: string,
  sessionCookieName: string,
  sdk: () => { swagger: App['swagger'] },
  writeHeaders: Record<string, object>,
  /** Paths of operations that never wait for other requests. */
  ungated: ReadonlySet<string>,
): Promise<void> {
  app.addSchema(ErrorBody);
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Halyard',
        version: version(),
        summary: 'Feature-flag service with an audit log',
        description:
          'The API of Halyard, an open-source feature-flag service. Send a token in the Authorization header, for example: curl -H "Authorization: $TOKEN" http://localhost:4242/api/admin/projects. An admin token, a personal access token, a service account token or the session of a logged-in user can call the admin API; the operations under /api/client, /api/frontend and /ofrep need an API token for SDKs. Each operation names the permission that it requires. Every change is recorded as an event in the transaction that makes it. Every error has an id, a name, a message and details that list every violation; match on the name and the status. A busy server returns 429 or 503 with Retry-After. Unknown query parameters and body fields are ignored and listed in the Halyard-Ignored response header; with the request header Prefer: handling=strict, they are rejected with 400. A write that changes what SDKs read names the new revision of each environment in the Halyard-Revision response header, for example production=42, staging=7. A write that records events returns the id of one of them in Halyard-Event; use it to query the reach of the change.',
        license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
      },
      servers: [{ url: publicUrl, description: 'This server' }],
      tags: [
        { name: 'Events', description: 'The audit log of all changes' },
        { name: 'Projects', description: 'Projects, their settings and statistics' },
        { name: 'Features', description: 'Feature flags, their environments, strategies and variants' },
        { name: 'Dependencies', description: 'Parent features, on which other features depend' },
        { name: 'Favorites', description: 'Favorite features and projects of the authenticated user' },
        { name: 'Health', description: 'Health of projects: stale features, findings and snoozes' },
        { name: 'Environments', description: 'Environments where features are enabled and disabled' },
        {
          name: 'Strategies',
          description: 'Strategy types, which determine the users that a feature is enabled for',
        },
        { name: 'Feature types', description: 'Feature types and their expected lifetimes' },
        { name: 'Context', description: 'Context fields for constraints and stickiness' },
        { name: 'Constraints', description: 'Validation of constraints' },
        { name: 'Export and import', description: 'Exporting features, and importing them into a project' },
        { name: 'OpenFeature CLI', description: 'The manifest that the OpenFeature CLI pulls and pushes' },
        { name: 'Segments', description: 'Reusable lists of constraints' },
        { name: 'Tags', description: 'Feature tags and tag types' },
        { name: 'API tokens', description: 'API tokens for SDKs and edges' },
        { name: 'Edge', description: 'Edges and the feeds that they read' },
        { name: 'Users', description: 'Users, the authenticated user and personal access tokens' },
        { name: 'Sessions', description: 'Login, logout and sessions' },
        { name: 'Single sign-on', description: 'Login with an identity provider (OpenID Connect)' },
        { name: 'Passwords', description: 'Passwords and the links to set them' },
        { name: 'Invitations', description: 'Signup links' },
        { name: 'Service accounts', description: 'Service accounts and their tokens' },
        { name: 'Groups', description: 'Groups of users that share roles' },
        { name: 'Roles', description: 'Roles and their permissions' },
        { name: 'Access', description: 'Explanations of why somebody can or cannot do something' },
        { name: 'Project access', description: 'The roles of users and groups in a project' },
        { name: 'Integrations', description: 'Integrations and the delivery of events to them' },
        { name: 'SDK', description: 'Flags for SDKs, and the metrics and registrations that SDKs send' },
        { name: 'Applications', description: 'Applications that use SDKs, and the flags they evaluate' },
        { name: 'Metrics', description: 'How often SDKs evaluated a feature, and the results' },
        { name: 'Playground', description: 'Evaluation of features for a context, with reasons' },
        { name: 'Operations', description: 'Health checks and metrics of the server' },
      ],
      components: {
        securitySchemes: {
          token: {
            type: 'apiKey',
            in: 'header',
            name: 'Authorization',
            description:
              'An admin token, a personal access token or a service account token, with or without the prefix "Bearer ".',
          },
          ...SDK_TOKEN_SCHEMES,
          session: {
            type: 'apiKey',
            in: 'cookie',
            name: sessionCookieName,
            description:
              'The session cookie. A write also requires Sec-Fetch-Site: same-origin, or an Origin equal to the server URL.',
          },
        },
      },
      security: [{ token: [] }, { session: [] }],
    },
    // The required permission is part of the document. A route without a permission is public.
    transform: ({ schema, url, route }) => {
      const config = (route.config ?? {}) as {
        permission?: unknown;
        checkedPermission?: string[];
        returnsSecret?: boolean;
        onlyReads?: boolean;
        etag?: boolean;
        ifMatch?: boolean;
        rejectUnknownFieldsExcept?: readonly string[];
      };
      const gatedSchema = ungated.has(url) ? schema : withBusyResponses(schema);
      if (config.permission === undefined) return { schema: gatedSchema, url };
      const guardedSchema = {
        ...gatedSchema,
        ...(config.rejectUnknownFieldsExcept === undefined
          ? {}
          : { description: `${schema?.description} Unknown fields are rejected with 400.` }),
        'x-permission': config.checkedPermission ?? config.permission,
        response: {
          // A control character in the URL is rejected with 400 (platform/http/input/url-limits.ts).
          ...(url.includes(':') ? errorResponses(400) : {}),
          ...(route.method === 'GET' ? {} : errorResponses(400)),
          ...(gatedSchema?.response ?? {}),
        },
      };
      const conditionalSchema = addConditions(guardedSchema, config);
      if (route.method === 'GET' || config.onlyReads) return { schema: conditionalSchema, url };
      const write = { ...conditionalSchema, headers: mergeHeaders(conditionalSchema, writeHeaders) };
      return { schema: addIdempotencyKey(write, config), url };
    },
    transformObject: document =>
      'openapiObject' in document
        ? shareComponents(addResponseExamples(addOperations(document.openapiObject, sdk().swagger())))
        : document.swaggerObject,
    refResolver: { buildLocalReference: (json, _uri, _fragment, i) => String(json.$id ?? `Schema${i}`) },
  });
}

type Document = { paths?: object; components?: { schemas?: object } };

/** Adds the operations and schemas of a second application to the document. */
function addOperations<T extends object>(document: T, other: object): T {
  const [first, second] = [document as Document, other as Document];
  const schemas = { ...first.components?.schemas, ...second.components?.schemas };
  return {
    ...document,
    components: { ...first.components, schemas },
    paths: { ...first.paths, ...second.paths },
  };
}

type DescribedSchema = { headers?: unknown; response?: object };

/** Adds request headers to those of a schema, for the document only. */
const mergeHeaders = (schema: DescribedSchema, headers: Record<string, object>) => ({
  type: 'object',
  properties: { ...(schema.headers as { properties?: object })?.properties, ...headers },
});

/** Node.js rejects a request whose headers are larger. */
const MAX_HEADERS_BYTES = 16_384;

/** Adds the headers and responses of operations with ETags (platform/http/output/etag.ts). */
function addConditions<T extends DescribedSchema>(
  schema: T,
  { etag = false, ifMatch = false }: { etag?: boolean; ifMatch?: boolean },
) {
  if (ifMatch) {
    const header = {
      title: 'IfMatch',
      type: 'string',
      maxLength: MAX_HEADERS_BYTES,
      description:
        'The ETag of the response that the change is based on. If the resource has changed since, the request is rejected with 412.',
      examples: ['"R8fhxpLzPuQpYhVfTOFn1Q"'],
    };
    return {
      ...schema,
      headers: mergeHeaders(schema, { 'If-Match': header }),
      response: { ...errorResponses(412), ...schema.response },
    };
  }
  if (!etag) return schema;
  const header = {
    title: 'IfNoneMatch',
    type: 'string',
    maxLength: MAX_HEADERS_BYTES,
    description:
      'The ETag of an earlier response. If it is still current, the response is 304 without a body.',
    examples: ['"R8fhxpLzPuQpYhVfTOFn1Q"'],
  };
  const ETag = {
    type: 'string',
    description: 'Identifies the state of the response. Send it in If-Match or If-None-Match',
  };
  const success = (schema.response as Record<number, object>)[200];
  return {
    ...schema,
    headers: mergeHeaders(schema, { 'If-None-Match': header }),
    response: {
      ...schema.response,
      200: { ...success, headers: { ETag } },
      304: { type: 'null', description: 'The ETag in If-None-Match is still current' },
    },
  };
}

/**
 * Adds the Idempotency-Key header. Every write accepts it (record/idempotency/hook.ts), so it is described in one place.
 */
function addIdempotencyKey<T extends DescribedSchema>(
  schema: T,
  { returnsSecret = false }: { returnsSecret?: boolean },
) {
  const retryNote = returnsSecret
    ? 'The response contains a secret and is not stored, so a retry returns 409.'
    : 'A retry within 24 hours returns the first response.';
  const key = {
    title: returnsSecret ? 'IdempotencyKeyForSecret' : 'IdempotencyKey',
    type: 'string',
    minLength: 1,
    maxLength: 255,
    description: `A unique string that makes retries safe. ${retryNote}`,
    examples: ['8e03978e-40d5-43dd-bc93-6894a57f9324'],
  };
  return {
    ...schema,
    ...(returnsSecret ? { 'x-returns-secret': true } : {}),
    headers: mergeHeaders(schema, { 'Idempotency-Key': key }),
    response: { ...errorResponses(409, 422), ...(schema.response ?? {}) },
  };
}

/** Returns the content of openapi.json. */
export const openApiText = (app: App): string => `${JSON.stringify(app.swagger(), null, 2)}\n`;
