import { Button, NativeSelect } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { Copy } from 'lucide-react';
import { useState } from 'react';
import { useMissingPermissions } from '../api/me.ts';
import { Can } from '../ui/Can.tsx';
import { Conflict } from '../ui/Conflict.tsx';
import { DangerAction, DangerZone } from '../ui/DangerZone.tsx';
import { FormAndEffect } from '../ui/FormAndEffect.tsx';
import { LastChange } from '../ui/LastChange.tsx';
import { Loading } from '../ui/Loading.tsx';
import { findChange } from '../ui/last-change.ts';
import { Page } from '../ui/Page.tsx';
import { findNameProblems } from '../ui/problems.ts';
import { RailSection } from '../ui/RailSection.tsx';
import { SaveBar } from '../ui/SaveBar.tsx';
import { State } from '../ui/State.tsx';
import { toast, toastError } from '../ui/toasts.ts';
import { useCreation } from '../ui/useCreation.ts';
import { useEditor } from '../ui/useEditor.tsx';
import { formatCount } from '../ui/words.ts';
import { Holders } from './Holders.tsx';
import { listPermissionKeys, toInputs } from './permission-keys.ts';
import {
  buildSubject,
  createRole,
  deleteRole,
  holdersQuery,
  type Permissions,
  permissionsQuery,
  type RoleWithPermissions,
  roleQuery,
  rolesQuery,
  updateRole,
} from './queries.ts';
import { type Draft, RoleForm } from './RoleForm.tsx';
import s from './roles.module.css';
import { describeRoleScope, isCustom, isRoot } from './words.ts';

const crumbs = <Link to="/admin/roles">Roles</Link>;

/** Returns what the page edits. */
const toDraft = (role: RoleWithPermissions): Draft => ({
  name: role.name,
  description: role.description,
  permissions: listPermissionKeys(role),
});

const toInput = ({ name, description, permissions }: Draft) => ({
  name: name.trim(),
  description: description.trim(),
  permissions: toInputs(permissions),
});

/** Creates a role, empty or as a copy of the role in the URL (`?from=5`). */
export function NewRolePage() {
  const { from } = useSearch({ strict: false });
  const permissions = useQuery(permissionsQuery);
  const id = typeof from === 'string' && /^\d+$/.test(from) ? Number(from) : undefined;
  const source = useQuery({ ...roleQuery(id ?? 0), enabled: id !== undefined });
  if (permissions.data && (id === undefined || source.data))
    return <NewRole key={id} permissions={permissions.data} source={source.data?.role} />;
  return (
    <Page title="New role" crumbs={crumbs}>
      <Loading queries={[permissions, source]} />
    </Page>
  );
}

const getCopyType = (source: RoleWithPermissions | undefined) =>
  source && isRoot(source) ? ('root-custom' as const) : ('custom' as const);

/** Returns the role's permissions without ADMIN, which no custom role can have. */
const listCopyablePermissions = (source: RoleWithPermissions | undefined): string[] =>
  source ? listPermissionKeys(source).filter(key => key !== 'ADMIN') : [];

function NewRole({
  permissions,
  source,
}: {
  permissions: Permissions;
  source: RoleWithPermissions | undefined;
}) {
  const client = useQueryClient();
  const navigate = useNavigate();
  const { data: roles = [] } = useQuery(rolesQuery);
  const empty: Draft & { type: 'custom' | 'root-custom' } = {
    name: source ? `Copy of ${source.name}` : '',
    // The source's description would not say how the copy differs.
    description: '',
    type: getCopyType(source),
    permissions: listCopyablePermissions(source),
  };
  const { draft, edit, submit, error, isPending, unsaved } = useCreation({
    draftKey: `new-role:${source?.id ?? ''}`,
    empty,
    send: sent => createRole({ ...toInput(sent), type: sent.type }),
    onSent: async ({ id, name }) => {
      toast({ message: `Created ${name}. Nobody has it yet.` });
      await navigate({
        to: '/admin/roles/$roleId',
        params: { roleId: String(id) },
        replace: true,
        ignoreBlocker: true,
      });
    },
  });
  const rootNames = new Set(permissions.root.map(({ name }) => name));
  const [startRole, setStartRole] = useState(source);
  const startWith = async (id: string) => {
    const role = id === '' ? undefined : (await client.fetchQuery(roleQuery(Number(id)))).role;
    setStartRole(role);
    edit({ permissions: listCopyablePermissions(role), ...(role && { type: getCopyType(role) }) });
  };
  return (
    <Page title="New role" crumbs={crumbs}>
      <FormAndEffect
        as="page"
        wide
        title="About roles"
        onSubmit={submit}
        form={
          <RoleForm
            draft={draft}
            isRoot={draft.type === 'root-custom'}
            permissions={permissions}
            error={error}
            compareWith={roles.filter(role => isRoot(role) === (draft.type === 'root-custom'))}
            defaultComparison={startRole}
            onChange={edit}
          >
            <NativeSelect
              label="Start with"
              value={String(startRole?.id ?? '')}
              data={[
                { value: '', label: 'no permissions' },
                ...roles.map(({ id, name }) => ({ value: String(id), label: `the permissions of ${name}` })),
              ]}
              onChange={event => void startWith(event.target.value).catch(toastError)}
            />
            <NativeSelect
              label="Where it is granted"
              description="Cannot be changed later."
              value={draft.type}
              data={[
                { value: 'custom', label: 'In a project' },
                { value: 'root-custom', label: 'Instance-wide' },
              ]}
              onChange={event =>
                edit(
                  event.target.value === 'root-custom'
                    ? { type: 'root-custom' }
                    : {
                        type: 'custom',
                        permissions: draft.permissions.filter(permission => !rootNames.has(permission)),
                      },
                )
              }
            />
          </RoleForm>
        }
        creation={{
          action: 'Create role',
          call: 'createRole',
          pending: isPending,
          problems: findNameProblems(draft.name),
          cancel: '/admin/roles',
        }}
      >
        <RailSection title="What a role does">
          <p className={s.words}>
            {draft.type === 'custom'
              ? 'Holders have these permissions in the projects where the role is granted.'
              : 'Holders have these permissions on the instance, and the project permissions in every project that they can read. The role does not give access to private projects.'}
          </p>
          <p className={s.words}>
            {formatCount(draft.permissions.length, 'permission')} selected. Reading projects that are not
            private requires no permission.
          </p>
        </RailSection>
      </FormAndEffect>
      {unsaved.confirmation}
    </Page>
  );
}

/** Shows a role's permissions, how they differ from another role's, and who has the role. */
export function RolePage() {
  const { roleId = '' } = useParams({ strict: false });
  const id = Number(roleId);
  const roleResult = useQuery(roleQuery(id));
  const permissions = useQuery(permissionsQuery);
  if (roleResult.data && permissions.data)
    return <RoleEditor key={id} current={roleResult.data} permissions={permissions.data} />;
  return (
    <Page title="Role" crumbs={crumbs}>
      <Loading queries={[roleResult, permissions]} />
    </Page>
  );
}

function RoleEditor({
  current,
  permissions,
}: {
  current: { role: RoleWithPermissions; etag: string };
  permissions: Permissions;
}) {
  const client = useQueryClient();
  const { role } = current;
  const { data: roles = [] } = useQuery(rolesQuery);
  const missingPermissions = useMissingPermissions('updateRole');
  const mayReadHolders = useMissingPermissions('getRoleHolders').length === 0;
  const holders = useQuery({ ...holdersQuery(role.id), enabled: mayReadHolders });
  const read = async () => {
    const newest = await client.fetchQuery({ ...roleQuery(role.id), staleTime: 0 });
    return { draft: toDraft(newest.role), etag: newest.etag };
  };
  const { draft, changes, change, error, conflict, confirmation, ...editor } = useEditor<Draft>({
    draftKey: `role:${role.id}`,
    current: { draft: toDraft(role), etag: current.etag },
    read,
    save: (sent, etag) => updateRole(role.id, toInput(sent), etag),
    findChange: () => findChange(buildSubject(role.id)),
    onSaved: async () => {
      toast({ message: 'Role saved. Its holders have the new permissions now.' });
      return await read();
    },
  });
  const isReadOnly = !isCustom(role) || missingPermissions.length > 0;
  const holderCount = holders.data?.total;
  return (
    <Page
      title={role.name}
      crumbs={crumbs}
      note={
        <>
          <State tone="off">{isCustom(role) ? 'Custom' : 'Built-in'}</State> {describeRoleScope(role)}
        </>
      }
      actions={
        <Can call="createRole">
          <Button
            leftSection={<Copy size={14} />}
            renderRoot={props => <Link {...props} to="/admin/roles/new" search={{ from: String(role.id) }} />}
          >
            Duplicate
          </Button>
        </Can>
      }
    >
      <FormAndEffect
        as="page"
        wide
        title="Holders and changes"
        onSubmit={() => changes.length > 0 && editor.save()}
        form={
          conflict ? (
            <Conflict noun="role" {...conflict} />
          ) : (
            <>
              <RoleForm
                draft={draft}
                isRoot={isRoot(role)}
                permissions={permissions}
                error={error}
                readOnly={isReadOnly}
                compareWith={roles.filter(other => other.id !== role.id && isRoot(other) === isRoot(role))}
                onChange={change}
              />
              <SingleProjectPermissions role={role} />
              {isCustom(role) && <Deletion role={role} holders={holderCount} />}
            </>
          )
        }
        bar={
          changes.length > 0 &&
          !conflict && (
            <SaveBar
              changes={changes}
              action={holderCount ? `Save for ${formatCount(holderCount, 'holder')}` : 'Save'}
              missingPermissions={missingPermissions}
              pending={editor.isPending}
              disabled={draft.name.trim() === ''}
              onSave={editor.save}
              onDiscard={editor.discard}
            />
          )
        }
      >
        {mayReadHolders && <Holders query={holders} isRoot={isRoot(role)} />}
        <LastChange subject={buildSubject(role.id)} />
      </FormAndEffect>
      {confirmation}
    </Page>
  );
}

/** Lists permissions that apply to one project only. Built-in roles have such permissions in the default project. */
function SingleProjectPermissions({ role }: { role: RoleWithPermissions }) {
  const byProject = Map.groupBy(
    role.permissions.filter(({ project }) => project !== undefined),
    ({ project = '' }) => project,
  );
  return [...byProject].map(([projectId, heldPermissions]) => (
    <p key={projectId} className={s.words}>
      Also has {formatCount(heldPermissions.length, 'permission')} in the project{' '}
      <Link to="/projects/$projectId" params={{ projectId }} className={s.inline}>
        {projectId}
      </Link>{' '}
      only.
    </p>
  ));
}

function Deletion({ role, holders }: { role: RoleWithPermissions; holders: number | undefined }) {
  const navigate = useNavigate();
  return (
    <DangerZone>
      <DangerAction
        title="Delete this role"
        action="Delete role"
        call="deleteRole"
        blocked={
          holders !== undefined && holders > 0 ? (
            <>
              You cannot delete this role while <a href="#holders">{formatCount(holders, 'holder')}</a>{' '}
              {holders === 1 ? 'has' : 'have'} it. Revoke it first.
            </>
          ) : undefined
        }
        nameToType={role.name}
        onConfirm={async () => {
          await deleteRole(role.id);
          await navigate({ to: '/admin/roles', ignoreBlocker: true });
          toast({ message: `Deleted ${role.name}.` });
        }}
      >
        <p>Nobody has this role, so nobody loses access. This cannot be undone.</p>
      </DangerAction>
    </DangerZone>
  );
}
