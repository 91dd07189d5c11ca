import type { TokenScope } from '../../platform/actor.ts';
import { ProtocolError } from './protocol-error.ts';

export const SCOPES = ['read', 'write'] as const;

export const parseScopes = (scope: string | undefined): string[] => (scope ?? '').split(' ').filter(Boolean);

/** Returns the scope of a token in OAuth terms, which cannot express the limits that the user set. */
export const getGrantedScope = (scope: TokenScope | null): string =>
  scope?.readOnly ? 'read' : SCOPES.join(' ');

export type Resources = {
  issuer: string;
  /** Why a request for these resources is rejected, or undefined if all of them identify this server. */
  findProblem: (resources: readonly string[]) => ProtocolError | undefined;
};

/** Compares normalized URLs, because some clients send the URL as a person typed it, for example with the host in upper case. */
export const isSameResource = (url: string, other: string): boolean =>
  normalizeUrl(url) === normalizeUrl(other);

const normalizeUrl = (url: string): string => (URL.parse(url)?.href ?? url).replace(/\/$/, '');

/** Returns the URLs that identify this server in a request: the API and its endpoint for agents. The same guard protects both. */
export function buildResources(publicUrl: string): Resources {
  const ownUrls = [publicUrl, `${publicUrl}/mcp`];
  return {
    issuer: publicUrl,
    findProblem: resources =>
      resources.every(resource => ownUrls.some(ownUrl => isSameResource(resource, ownUrl)))
        ? undefined
        : new ProtocolError('invalid_target', `resource must be "${publicUrl}/mcp" or "${publicUrl}".`),
  };
}
