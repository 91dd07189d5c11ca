import { badData } from '../../../../plane/src/platform/errors.ts';
import { isStorable } from '../../../../plane/src/platform/http/input/text.ts';
import { ellipsize } from '../../../../plane/src/platform/text.ts';
import type { Client, Clients } from './clients.ts';
import { MAX_STATE_LENGTH } from './limits.ts';
import { ProtocolError } from './protocol-error.ts';
import { isRegistered } from './redirect-uri.ts';
import { type Resources, scopesIn } from './resources.ts';

/** A request of a program for a code, as far as it is valid. */
export type AuthorizationRequest = {
  client: Client;
  redirectUri: string;
  state: string | undefined;
  /** Why the program cannot get a code. Undefined: it can. */
  problem: ProtocolError | undefined;
  challenge: string;
  resource: string | null;
  /** Whether the program asks for reading only. */
  readOnly: boolean;
};

/** What S256 makes of a verifier: 32 bytes in base64url. */
const CHALLENGE = /^[A-Za-z0-9_-]{43}$/;

/**
 * Reads the query of the authorization URL. Rejects a client or a redirect URI that is not right, because then nobody may be
 * redirected anywhere. Everything else is a problem that the program may learn.
 */
export async function readRequest(
  query: string,
  userId: number,
  clients: Clients,
  resources: Resources,
): Promise<AuthorizationRequest> {
  const parameters = new URLSearchParams(query);
  const repeated = [...new Set(parameters.keys())].find(
    name => name !== 'resource' && parameters.getAll(name).length > 1,
  );
  if (repeated !== undefined) throw invalid(`The parameter "${ellipsize(repeated, 50)}" is repeated.`);
  if (![...parameters.values()].every(isStorable))
    throw invalid('A parameter contains a character that is not allowed.');
  const get = (name: string): string | undefined => parameters.get(name) || undefined;
  const id = get('client_id');
  if (id === undefined) throw invalid('The parameter client_id is missing.');
  const client = await clients.find(id, userId);
  const redirectUri = get('redirect_uri');
  if (redirectUri === undefined) throw invalid('The parameter redirect_uri is missing.');
  if (!isRegistered(redirectUri, client.redirectUris))
    throw invalid(`The redirect URI "${ellipsize(redirectUri, 200)}" is not one of the client's.`);
  const state = get('state');
  if (state !== undefined && state.length > MAX_STATE_LENGTH)
    throw invalid(`The parameter state has more than ${MAX_STATE_LENGTH.toLocaleString('en')} characters.`);
  return {
    client,
    redirectUri,
    state,
    problem: problemOf(get) ?? resources.problemOf(parameters.getAll('resource')),
    challenge: get('code_challenge') ?? '',
    resource: get('resource') ?? null,
    readOnly: isForReading(get('scope')),
  };
}

const invalid = (message: string) => badData([{ message, path: '/body/query' }]);

function problemOf(get: (name: string) => string | undefined): ProtocolError | undefined {
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

/** Programs also ask for scopes of other servers, which have no meaning here. */
const isForReading = (scope: string | undefined): boolean => {
  const asked = scopesIn(scope).filter(one => one === 'read' || one === 'write');
  return asked.length > 0 && !asked.includes('write');
};
