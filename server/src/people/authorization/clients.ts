import { BoundedMap } from '@halyard/plane/platform/bounded-map.ts';
import { badData } from '@halyard/plane/platform/errors.ts';
import { ellipsize } from '@halyard/plane/platform/text.ts';
import type { TargetPolicy } from '../../platform/outgoing/address.ts';
import { makeSender } from '../../platform/outgoing/send.ts';
import {
  DOCUMENT_LIMITS,
  DOCUMENT_READ_LIMIT,
  MAX_CLIENT_ID_LENGTH,
  MAX_CLIENT_NAME_LENGTH,
  MAX_REDIRECT_URIS,
} from './limits.ts';
import { makePerUserLimit } from './per-user-limit.ts';
import { ProtocolError } from './protocol-error.ts';
import { findRedirectUriProblem } from './redirect-uri.ts';

/** A client that requests a token. Nothing proves its identity, except the host that publishes its document. */
export type Client = {
  id: string;
  name: string;
  /** The host that publishes the client's document. Null: the client named itself. */
  host: string | null;
  redirectUris: string[];
  /** The CLI acts as the person who uses it. Everything else is an agent. */
  kind: 'personal' | 'agent';
};

export const HALYARD_CLI: Client = {
  id: 'halyard-cli',
  name: 'Halyard CLI',
  host: null,
  redirectUris: ['http://127.0.0.1/callback', 'http://[::1]/callback'],
  kind: 'personal',
};

const REGISTERED_PREFIX = 'dyn_';

export type Clients = {
  /** Returns the client with this id for the user who decides about the client's request. Rejects an unknown client. */
  find: (id: string, userId: number) => Promise<Client>;
  close: () => Promise<void>;
};

/** Recognizes clients without storing them: by name, by what their id contains, or by the document that their id points to. */
export function makeClients(targets: TargetPolicy, acceptsRegistrations: boolean): Clients {
  const sender = makeSender(targets);
  const documents = new BoundedMap<string, { client: Client; expiresAt: number }>(DOCUMENT_LIMITS.maxCached);
  const readLimit = makePerUserLimit(
    DOCUMENT_READ_LIMIT,
    'You have opened authorization requests from too many clients. Try again later.',
  );

  const readDocument = async (id: string, host: string): Promise<Client> => {
    const { status, error, text, headers } = await sender.send({
      method: 'GET',
      url: id,
      headers: { accept: 'application/json' },
      body: '',
      totalMs: DOCUMENT_LIMITS.timeoutMs,
    });
    if (status !== 200)
      throw unknownClient(id, error ?? `The URL of its document returned status ${status}.`);
    if (!mayBeJson(headers['content-type'])) throw unknownClient(id, 'Its document is not application/json.');
    const document = parseObject(text);
    if (document === undefined)
      throw unknownClient(id, 'Its document is not a JSON object of at most 4,096 characters.');
    if (document.client_id !== id) throw unknownClient(id, 'Its document has a different client_id.');
    const problem = findMetadataProblem(document);
    if (problem !== undefined) throw unknownClient(id, `In its document, ${problem.message}`);
    return { id, host, name: toClientName(document), redirectUris: getRedirectUris(document), kind: 'agent' };
  };

  return {
    find: async (id, userId) => {
      if (id === HALYARD_CLI.id) return HALYARD_CLI;
      if (id.length > MAX_CLIENT_ID_LENGTH) throw unknownClient(id, 'The id is too long.');
      if (id.startsWith(REGISTERED_PREFIX) && acceptsRegistrations) return readRegistered(id);
      const host = getDocumentHost(id, targets);
      if (host === undefined)
        throw unknownClient(
          id,
          `Use the https URL of a client metadata document${acceptsRegistrations ? ', or register the client' : '. This server does not register clients'}.`,
        );
      const cachedDocument = documents.get(id);
      if (cachedDocument && cachedDocument.expiresAt > Date.now()) return cachedDocument.client;
      readLimit.take(userId);
      const client = await readDocument(id, host);
      documents.set(id, { client, expiresAt: Date.now() + DOCUMENT_LIMITS.minutes * 60_000 });
      return client;
    },
    close: sender.close,
  };
}

const unknownClient = (id: string, why: string) =>
  badData([{ message: `Client "${ellipsize(id, 200)}" is unknown. ${why}`, path: '/body/query' }]);

/**
 * Returns the host of a client's document. The id must be an https URL with a path and nothing ambiguous. In development, http is
 * accepted too.
 */
function getDocumentHost(id: string, { allowPrivate }: TargetPolicy): string | undefined {
  const url = URL.parse(id);
  if (!url || (url.protocol !== 'https:' && !(allowPrivate && url.protocol === 'http:'))) return undefined;
  return url.href === id &&
    url.pathname !== '/' &&
    !id.includes('#') &&
    url.username === '' &&
    url.password === ''
    ? url.host
    : undefined;
}

/**
 * Returns false for content types other than JSON, because a host that publishes its users' uploads, for example as plain text, does
 * not vouch for them. A missing header is accepted, because only the first headers of a response are kept.
 */
const mayBeJson = (contentType: string | undefined): boolean =>
  contentType === undefined || /^application\/([\w.-]+\+)?json\s*(;|$)/i.test(contentType);

type Metadata = Record<string, unknown>;

function parseObject(text: string): Metadata | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Metadata)
      : undefined;
  } catch {
    return undefined;
  }
}

/** Returns why the metadata of a client is invalid. */
function findMetadataProblem({ client_name, redirect_uris, token_endpoint_auth_method: method }: Metadata) {
  if (!Array.isArray(redirect_uris) || redirect_uris.length === 0 || redirect_uris.length > MAX_REDIRECT_URIS)
    return new ProtocolError(
      'invalid_redirect_uri',
      `redirect_uris must be a list of 1 to ${MAX_REDIRECT_URIS} URLs.`,
    );
  for (const uri of redirect_uris) {
    const problem = findRedirectUriProblem(uri);
    if (problem !== undefined)
      return new ProtocolError(
        'invalid_redirect_uri',
        `the redirect URI "${ellipsize(String(uri), 200)}" ${problem}.`,
      );
  }
  if (client_name !== undefined && typeof client_name !== 'string')
    return new ProtocolError('invalid_client_metadata', 'client_name must be a string.');
  if (
    method !== undefined &&
    (typeof method !== 'string' || method === 'private_key_jwt' || method === 'tls_client_auth')
  )
    return new ProtocolError(
      'invalid_client_metadata',
      'token_endpoint_auth_method must be "none": this server supports only public clients.',
    );
  return undefined;
}

const getRedirectUris = ({ redirect_uris }: Metadata): string[] => redirect_uris as string[];

/**
 * Control characters, characters that change the text direction and invisible letters could make one name look like a different
 * one.
 */
const INVISIBLE = /[\p{C}\p{Default_Ignorable_Code_Point}\s]+/gu;

/** Stacked accents would cover the lines around the name, which say who requests access. */
const STACKED_ACCENTS = /(\p{M}{2})\p{M}+/gu;

function toClientName({ client_name }: Metadata): string {
  const name = ellipsize(
    String(client_name ?? '')
      .replace(INVISIBLE, ' ')
      .replace(STACKED_ACCENTS, '$1')
      .trim(),
    MAX_CLIENT_NAME_LENGTH,
  );
  return name === '' ? 'Unnamed client' : name;
}

/**
 * Registers a client without storing it: its id contains its name and its redirect URIs. A signature would prove nothing, because
 * anybody can register anything.
 */
export function registerClient(body: unknown): Client {
  const metadata =
    typeof body === 'object' && body !== null && !Array.isArray(body) ? (body as Metadata) : {};
  const problem = findMetadataProblem(metadata);
  if (problem) throw problem;
  const [name, uris] = [toClientName(metadata), getRedirectUris(metadata)];
  const id = `${REGISTERED_PREFIX}${Buffer.from(JSON.stringify([name, ...uris])).toString('base64url')}`;
  if (id.length > MAX_CLIENT_ID_LENGTH)
    throw new ProtocolError('invalid_redirect_uri', 'The redirect URIs are too long in total.');
  return { id, name, host: null, redirectUris: uris, kind: 'agent' };
}

function readRegistered(id: string): Client {
  try {
    const [client_name, ...redirect_uris] = JSON.parse(
      Buffer.from(id.slice(REGISTERED_PREFIX.length), 'base64url').toString(),
    ) as unknown[];
    const client = registerClient({ client_name, redirect_uris });
    if (client.id === id) return client;
  } catch {
    // An invalid id is treated like an id that this server would not have created.
  }
  throw unknownClient(id, 'Register it again.');
}
