import { hasPermission } from '../../access/guard.ts';
import type { RootPermission } from '../../access/permissions.ts';
import type { Actor } from '../../platform/actor.ts';
import { TOKEN_TYPES } from './schema.ts';

type Action = 'READ' | 'CREATE' | 'UPDATE' | 'DELETE';

/** Returns the permission that an action on a token of this type requires. */
export function getTokenPermission(action: Action, type: string): RootPermission {
  if (type === 'admin') return 'ADMIN';
  return type === 'frontend' ? `${action}_FRONTEND_API_TOKEN` : `${action}_CLIENT_API_TOKEN`;
}

export function listReadableTypes(actor: Actor): string[] {
  return ['admin', ...TOKEN_TYPES].filter(type => hasPermission(actor, [getTokenPermission('READ', type)]));
}
