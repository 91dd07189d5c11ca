import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useMissingPermissions } from '../api/me.ts';
import { rolesWithQuery } from './queries.ts';
import { permissionsIn, projectIn } from './words.ts';

/** Says how to get a missing permission. Only users who may read roles see which ones have it. */
export function GrantingRoles({ message }: { message: string }) {
  const permissions = permissionsIn(message);
  const mayRead = useMissingPermissions('getRoles').length === 0;
  const { data: roles = [] } = useQuery({
    ...rolesWithQuery(permissions),
    enabled: mayRead && permissions.length > 0,
  });
  return (
    <>
      {roles.length > 0 && (
        <p>
          {roles.length === 1 ? 'This role has it: ' : 'These roles have it: '}
          <b>{roles.join(', ')}</b>.
        </p>
      )}
      <p>
        {message.includes(' project "') ? 'An admin or an owner of the project' : 'An admin'} can grant you a
        role that has it.{' '}
        {permissions[0] && (
          <Link
            to="/admin/explain-access"
            search={{ permission: permissions[0], project: projectIn(message) }}
          >
            Explain access
          </Link>
        )}
      </p>
    </>
  );
}
