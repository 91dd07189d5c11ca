import { useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { Confirm } from '../ui/Confirm.tsx';
import { toast, toastError } from '../ui/toasts.ts';
import { setRootRole, type User } from './queries.ts';
import { ADMIN, getRoleName, type RootRole } from './roles.ts';
import { getDisplayName } from './words.ts';

/** Changes a root role, and asks for confirmation if somebody becomes an admin or stops being an admin. */
export function SetRoleDialog({
  user,
  rootRole,
  roles,
  onClose,
}: {
  user: User;
  rootRole: number;
  roles: readonly RootRole[];
  onClose(): void;
}) {
  const client = useQueryClient();
  const needsConfirmation = rootRole === ADMIN || user.rootRole === ADMIN;
  const name = getDisplayName(user);
  const role = getRoleName(roles, rootRole);
  const save = async () => {
    await setRootRole(client, user, rootRole);
    toast({ about: `role ${user.id}`, message: `${name} now has the role ${role}.` });
  };
  // biome-ignore lint/correctness/useExhaustiveDependencies: the effect runs once, for the choice that opened the dialog
  useEffect(() => {
    if (needsConfirmation) return;
    void save().catch(toastError);
    onClose();
  }, []);
  if (!needsConfirmation) return null;
  return (
    <Confirm
      opened
      title={rootRole === ADMIN ? `Make ${name} an admin?` : `Change ${name} from Admin to ${role}?`}
      action={rootRole === ADMIN ? 'Make admin' : `Change to ${role}`}
      danger={rootRole !== ADMIN}
      onConfirm={save}
      onClose={onClose}
    >
      <p>
        {rootRole === ADMIN
          ? 'An admin may do everything in every project, including reading private projects, managing users and deleting data.'
          : `${name} loses every permission that ${role} does not have, and access to private projects where they have no role.`}
      </p>
    </Confirm>
  );
}
