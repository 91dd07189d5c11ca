import { badData } from '@halyard/plane/platform/errors.ts';
import { isStorable } from '@halyard/plane/platform/http/input/text.ts';
import { ellipsize } from '@halyard/plane/platform/text.ts';
import type { Client, Clients } from './clients.ts';
import { MAX_STATE_LENGTH } from './limits.ts';
import { ProtocolError } from './protocol-error.ts';
import { isRegisteredUri } from './redirect-uri.ts';
import { parseScopes, type Resources } from './resources.ts';

/** The valid part of a client's request for a code. */
export type AuthorizationRequest = {
  client: Client;
  redirectUri: string;
  state: string | undefined;
  /** Why the client cannot get a code. Undefined if it can. */
  problem: ProtocolError | undefined;
  challenge: string;
  resource: string | null;
  /** Whether the client requests only read access. */
  readOnly: boolean;
};

/** An S256 challenge: 32 bytes in base64url. */
const CHALLENGE = /^[A-Za-z0-9_-]{43}$/;

/**
 * Reads the query of the authorization URL. Rejects an invalid client or redirect URI, because a redirect would then be unsafe.
 * Any other problem is reported to the client.
 */
export async function readRequest(
  query: string,
  userId: number,
  clients: Clients,
  resources: Resources,
): Promise<AuthorizationRequest> {
  const parameters = new URLSearchParams(query);
  const repeatedName = [...new Set(parameters.keys())].find(
    name => name !== 'resource' && parameters.getAll(name).length > 1,
  );
  if (repeatedName !== undefined)
    throw invalidRequest(`The parameter "${ellipsize(repeatedName, 50)}" is repeated.`);
  if (![...parameters.values()].every(isStorable))
    throw invalidRequest('A parameter contains a character that is not allowed.');
  const get = (name: string): string | undefined => parameters.get(name) || undefined;
  const id = get('client_id');
  if (id === undefined) throw invalidRequest('The parameter client_id is missing.');
  const client = await clients.find(id, userId);
  const redirectUri = get('redirect_uri');
  if (redirectUri === undefined) throw invalidRequest('The parameter redirect_uri is missing.');
  if (!isRegisteredUri(redirectUri, client.redirectUris))
    throw invalidRequest(`The redirect URI "${ellipsize(redirectUri, 200)}" is not one of the client's.`);
  const state = get('state');
  if (state !== undefined && state.length > MAX_STATE_LENGTH)
    throw invalidRequest(
      `The parameter state has more than ${MAX_STATE_LENGTH.toLocaleString('en')} characters.`,
    );
  return {
    client,
    redirectUri,
    state,
    problem: findProblem(get) ?? resources.findProblem(parameters.getAll('resource')),
    challenge: get('code_challenge') ?? '',
    resource: get('resource') ?? null,
    readOnly: requestsOnlyReadAccess(get('scope')),
  };
}

const invalidRequest = (message: string) => badData([{ message, path: '/body/query' }]);

function findProblem(get: (name: string) => string | undefined): ProtocolError | undefined {
  const problem = (code: ProtocolError['code'], message: string) => new ProtocolError(code, message);
  if (get('request') !== undefined)
    return problem('request_not_supported', 'The parameter request is not supported.');
  if (get('request_uri') !== undefined)
    return problem('request_uri_not_supported', 'The parameter request_uri is not supported.');
  if (get('response_type') === undefined)
    return problem('invalid_request', 'The parameter response_type is missing.');
  if (get('response_type') !== 'code')
    return problem('unsupported_response_type', 'response_type must be "code".');
  if ((get('response_mode') ?? 'query') !== 'query')
    return problem('invalid_request', 'response_mode must be "query".');
  if (get('code_challenge') === undefined)
    return problem('invalid_request', 'The parameter code_challenge is missing: PKCE is required.');
  if (get('code_challenge_method') !== 'S256')
    return problem('invalid_request', 'code_challenge_method must be "S256".');
  if (!CHALLENGE.test(get('code_challenge') ?? ''))
    return problem('invalid_request', 'code_challenge must be a SHA-256 in base64url: 43 characters.');
  return undefined;
}

/** Ignores other scopes, because clients also request scopes of other servers that mean nothing here. */
const requestsOnlyReadAccess = (scope: string | undefined): boolean => {
  const requestedScopes = parseScopes(scope).filter(name => name === 'read' || name === 'write');
  return requestedScopes.length > 0 && !requestedScopes.includes('write');
};
