import swagger from '@fastify/swagger';
import { version } from '../command-line.ts';
import type { App } from './app.ts';
import { shareComponents } from './components.ts';
import { addResponseExamples } from './examples.ts';
import { ErrorBody, refusals } from './schema.ts';

/** The document of every operation, generated from the schemas that validate and serialise. */
export async function installOpenApi(app: App, publicUrl: string, sessionCookieName: string): Promise<void> {
  app.addSchema(ErrorBody);
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Halyard',
        version: version(),
        summary: 'Feature flags with a complete record',
        description:
          'The administration API of Halyard. Every change is an event, written in the transaction of the change and readable through the event search. Errors have one shape: id, name, message and details, which lists every violation. A query parameter or body field that an operation does not know is ignored and named in the response header Halyard-Ignored; with the request header Prefer: handling=strict it is rejected with 400.',
        license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
      },
      servers: [{ url: publicUrl, description: 'This server' }],
      tags: [
        { name: 'Events', description: 'The record: who changed what, and when' },
        { name: 'Projects', description: 'Groups of features with members and settings' },
        { name: 'Features', description: 'Flags, their switches and strategies' },
        { name: 'Health', description: 'How old, how used and how needed the features of a project are' },
        { name: 'Environments', description: 'Where features are switched on and off' },
        { name: 'Strategies', description: 'Strategy types: the ways to decide for whom a feature is on' },
        { name: 'Feature types', description: 'Kinds of feature and how long they are meant to live' },
        { name: 'Context', description: 'What applications tell of a user, for constraints and stickiness' },
        { name: 'Constraints', description: 'Conditions on the context of a user' },
        { name: 'Export and import', description: 'Features from one instance or environment to another' },
        { name: 'Segments', description: 'Lists of constraints with a name, for many strategies' },
        { name: 'Tags', description: 'Words to group features by, and their types' },
        { name: 'API tokens', description: 'Keys for SDKs' },
        { name: 'Users', description: 'The caller with its personal tokens, and the users of the instance' },
        { name: 'Sessions', description: 'Logging in and out' },
        { name: 'Single sign-on', description: 'Logging in by an identity provider (OpenID Connect)' },
        { name: 'Passwords', description: 'Links by which a password is set' },
        { name: 'Invitations', description: 'Links by which people join' },
        { name: 'Service accounts', description: 'Accounts for programs, and their tokens' },
        { name: 'Groups', description: 'Users who have roles together' },
        { name: 'Roles', description: 'Who may do what: permissions under a name' },
        { name: 'Project access', description: 'Who holds which roles in a project' },
        { name: 'Operations', description: 'For those who run the service' },
      ],
      components: {
        securitySchemes: {
          token: {
            type: 'apiKey',
            in: 'header',
            name: 'Authorization',
            description: 'An admin or personal token, bare or after "Bearer ".',
          },
          session: {
            type: 'apiKey',
            in: 'cookie',
            name: sessionCookieName,
            description:
              'The cookie of a login. A request that changes something needs Sec-Fetch-Site: same-origin, or an Origin equal to the address of the server.',
          },
        },
      },
      security: [{ token: [] }, { session: [] }],
    },
    // What a caller needs is part of the contract; a route without it is public.
    transform: ({ schema, url, route }) => {
      const config = (route.config ?? {}) as {
        permission?: unknown;
        checkedPermission?: string[];
        answersSecret?: boolean;
        onlyReads?: boolean;
      };
      if (config.permission === undefined) return { schema, url };
      const guarded = {
        ...schema,
        'x-permission': config.checkedPermission ?? config.permission,
        response: {
          // A control character in the address (platform/http/input.ts).
          ...(url.includes(':') ? refusals(400) : {}),
          // Every write is counted (platform/http/rate-limit.ts).
          ...(route.method === 'GET' ? {} : refusals(429)),
          ...(schema?.response ?? {}),
        },
      };
      return {
        // Without a caller there is nobody whose key it is.
        schema:
          route.method === 'POST' && config.permission !== undefined ? repeatable(guarded, config) : guarded,
        url,
      };
    },
    transformObject: document =>
      'openapiObject' in document
        ? shareComponents(addResponseExamples(document.openapiObject))
        : document.swaggerObject,
    refResolver: { buildLocalReference: (json, _uri, _fragment, i) => String(json.$id ?? `Schema${i}`) },
  });
}

/** Every POST takes the header (record/idempotency/hook.ts), so the document says it in one place too. */
function repeatable<T extends { response?: unknown }>(
  schema: T,
  { answersSecret = false, onlyReads = false }: { answersSecret?: boolean; onlyReads?: boolean },
) {
  if (onlyReads) return schema;
  const kept = answersSecret
    ? 'The answer holds a secret and is not kept: a repetition gets 409.'
    : 'A repetition within 24 hours gets the first answer again.';
  const key = {
    title: answersSecret ? 'IdempotencyKeyForSecret' : 'IdempotencyKey',
    type: 'string',
    minLength: 1,
    maxLength: 255,
    description: `A text of the caller's choice that makes it safe to send the request again. ${kept}`,
    examples: ['8e03978e-40d5-43dd-bc93-6894a57f9324'],
  };
  return {
    ...schema,
    ...(answersSecret ? { 'x-answers-secret': true } : {}),
    headers: { type: 'object', properties: { 'Idempotency-Key': key } },
    response: { ...refusals(409, 422, 429), ...(schema.response ?? {}) },
  };
}

/** The document as it stands in openapi.json. */
export const openApiText = (app: App): string => `${JSON.stringify(app.swagger(), null, 2)}\n`;
