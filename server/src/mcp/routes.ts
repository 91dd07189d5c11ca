import { ApiError, authenticationRequired, badData } from '@halyard/plane/platform/errors.ts';
import type { App } from '@halyard/plane/platform/http/app.ts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { rejectOtherOrigins } from '../access/same-origin.ts';
import { requireProjectInScope } from '../access/scope.ts';
import type { Actor } from '../platform/actor.ts';
import type { Db } from '../platform/db/database.ts';
import type { Instance } from '../platform/instance.ts';

const PATH = '/mcp';
/** The maximum size of a request body. Even a plan with 20 strategies is smaller. */
const BODY_LIMIT_BYTES = 131_072;

type Protocol = ReturnType<typeof import('./protocol.ts').makeProtocol>;

/**
 * Registers the Model Context Protocol endpoint for agents. Its package is loaded on the first request, because most servers never receive
 * one.
 */
export function mcpRoutes(app: App, db: Db, instance: Instance): void {
  let protocol: Promise<Protocol> | undefined;
  const loadProtocol = async (): Promise<Protocol> => {
    const { makeProtocol } = await import('./protocol.ts');
    return makeProtocol(app, db, instance);
  };

  /** Tells a client without a valid token where to get one (RFC 9728). */
  const onSend = async (_request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    if (reply.statusCode === 401)
      reply.header(
        'www-authenticate',
        `Bearer resource_metadata="${instance.publicUrl}/.well-known/oauth-protected-resource${PATH}", scope="read write"`,
      );
  };

  app.post(
    PATH,
    {
      onSend,
      bodyLimit: BODY_LIMIT_BYTES,
      // Tools that read and tools that write share one path. Each tool checks the permissions of the operations that it calls.
      config: { permission: 'NONE', onlyReads: true },
      schema: { hide: true },
    },
    async (request, reply) => {
      rejectOtherOrigins(request, instance.publicUrl);
      if (request.sessionId !== null) throw authenticationRequired('nothing');
      // Batches are rejected, because the rate limit would count a batch as one request. The protocol dropped them in 2025.
      if (typeof request.body !== 'object' || request.body === null || Array.isArray(request.body))
        throw badData([{ message: 'The body must be one JSON-RPC message. Batches are not accepted.' }]);
      const { readOnly, project, ...otherParameters } = request.query as Record<string, unknown>;
      rejectUnknownParameters(otherParameters);
      if (isReadOnly(readOnly)) request.actor = restrictToReading(request.actor);
      if (project !== undefined) request.actor = restrictToProject(request.actor, project);
      protocol ??= loadProtocol();
      const { status, headers, body } = await (await protocol).respond(request);
      return reply.code(status).headers(headers).send(body);
    },
  );

  app.route({
    method: ['GET', 'DELETE'],
    url: PATH,
    onSend,
    config: { permission: 'NONE', onlyReads: true },
    schema: { hide: true },
    handler: (_request, reply) => {
      reply.header('allow', 'POST');
      throw new ApiError(
        'MethodNotAllowedError',
        `${PATH} has no sessions and no streams. Send a POST request.`,
      );
    },
  });
}

/** Rejects a misspelled parameter, because ignoring it would let the agent do what its owner meant to prevent. */
function rejectUnknownParameters(otherParameters: Record<string, unknown>): void {
  const [unknownName] = Object.keys(otherParameters);
  if (unknownName !== undefined)
    throw badData([
      {
        message: `Unknown parameter "${unknownName}". ${PATH} accepts readOnly and project.`,
        path: '/query',
      },
    ]);
}

/** Returns whether the URL requests only the tools that read. */
function isReadOnly(readOnly: unknown): boolean {
  if (readOnly === undefined || readOnly === 'false') return false;
  if (readOnly === 'true') return true;
  throw badData([{ message: 'readOnly must be true or false.', path: '/query/readOnly' }]);
}

/** Returns the caller with read permissions only, as if the token were read-only. */
const restrictToReading = (actor: Actor): Actor => ({
  ...actor,
  isAdmin: false,
  scope: { ownerIsAdmin: actor.isAdmin, ...actor.scope, readOnly: true },
});

/** Returns the caller as if the token were limited to the project. */
function restrictToProject(actor: Actor, project: unknown): Actor {
  if (typeof project !== 'string' || project === '')
    throw badData([{ message: 'project must be the id of one project.', path: '/query/project' }]);
  requireProjectInScope(actor, project);
  return {
    ...actor,
    isAdmin: false,
    scope: { ownerIsAdmin: actor.isAdmin, ...actor.scope, projects: [project] },
  };
}
