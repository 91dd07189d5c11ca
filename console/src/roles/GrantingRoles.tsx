import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useMissingPermissions } from '../api/me.ts';
import { grantingRolesQuery } from './queries.ts';
import { parsePermissions, parseProject } from './words.ts';

/** Explains how to get a missing permission. Only users who may read roles see which roles have it. */
export function GrantingRoles({ message }: { message: string }) {
  const permissions = parsePermissions(message);
  const mayRead = useMissingPermissions('getRoles').length === 0;
  const { data: roles = [] } = useQuery({
    ...grantingRolesQuery(permissions),
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
            search={{ permission: permissions[0], project: parseProject(message) }}
          >
            Explain access
          </Link>
        )}
      </p>
    </>
  );
}
