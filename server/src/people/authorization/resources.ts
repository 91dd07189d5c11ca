import type { TokenScope } from '../../platform/actor.ts';
import { ProtocolError } from './protocol-error.ts';

export const SCOPES = ['read', 'write'] as const;

export const scopesIn = (scope: string | undefined): string[] => (scope ?? '').split(' ').filter(Boolean);

/** The scope of a token in the words of OAuth. The limits that the person set have no words there. */
export const grantedScope = (scope: TokenScope | null): string =>
  scope?.readOnly ? 'read' : SCOPES.join(' ');

export type Resources = {
  issuer: string;
  /** Why a request for these resources is rejected; undefined if all of them are this server. */
  problemOf: (resources: readonly string[]) => ProtocolError | undefined;
};

/** The URLs that name this server in a request: the API and its endpoint for agents. Both are behind the same guard. */
export function resourcesOf(publicUrl: string): Resources {
  const ours = [publicUrl, `${publicUrl}/`, `${publicUrl}/mcp`, `${publicUrl}/mcp/`];
  return {
    issuer: publicUrl,
    problemOf: resources =>
      resources.every(one => ours.includes(one))
        ? undefined
        : new ProtocolError('invalid_target', `resource must be "${publicUrl}/mcp" or "${publicUrl}".`),
  };
}
