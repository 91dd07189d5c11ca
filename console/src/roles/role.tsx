import { Button, NativeSelect } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { Copy } from 'lucide-react';
import { useMissingPermissions } from '../api/me.ts';
import { Can } from '../ui/Can.tsx';
import { Conflict } from '../ui/Conflict.tsx';
import { DangerAction, DangerZone } from '../ui/DangerZone.tsx';
import { FormAndEffect } from '../ui/FormAndEffect.tsx';
import { LastChange } from '../ui/LastChange.tsx';
import { Loading } from '../ui/Loading.tsx';
import { findChange } from '../ui/last-change.ts';
import { Page } from '../ui/Page.tsx';
import { RailSection } from '../ui/RailSection.tsx';
import { SaveBar } from '../ui/SaveBar.tsx';
import { State } from '../ui/State.tsx';
import { toast } from '../ui/toasts.ts';
import { useCreation } from '../ui/useCreation.ts';
import { useEditor } from '../ui/useEditor.tsx';
import { counted } from '../ui/words.ts';
import { Holders } from './Holders.tsx';
import { heldBy, inputsOf } from './held.ts';
import {
  createRole,
  deleteRole,
  holdersQuery,
  type Permissions,
  permissionsQuery,
  type RoleWithPermissions,
  roleQuery,
  rolesQuery,
  subjectOf,
  updateRole,
} from './queries.ts';
import { RoleForm } from './RoleForm.tsx';
import s from './roles.module.css';
import { isCustom, isRoot, scopeOf } from './words.ts';

const crumbs = <Link to="/admin/roles">Roles</Link>;

/** What the page edits. */
export type Draft = { name: string; description: string; permissions: string[] };

const draftOf = (role: RoleWithPermissions): Draft => ({
  name: role.name,
  description: role.description,
  permissions: heldBy(role),
});

const inputOf = ({ name, description, permissions }: Draft) => ({
  name: name.trim(),
  description: description.trim(),
  permissions: inputsOf(permissions),
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
      <Loading of={[permissions, source]} />
    </Page>
  );
}

function NewRole({
  permissions,
  source,
}: {
  permissions: Permissions;
  source: RoleWithPermissions | undefined;
}) {
  const navigate = useNavigate();
  const empty: Draft & { type: 'custom' | 'root-custom' } = {
    name: source ? `Copy of ${source.name}` : '',
    description: source?.description ?? '',
    type: source && isRoot(source) ? 'root-custom' : 'custom',
    // No custom role can have it.
    permissions: source ? heldBy(source).filter(one => one !== 'ADMIN') : [],
  };
  const { draft, edit, submit, error, isPending, unsaved } = useCreation({
    thing: `new-role:${source?.id ?? ''}`,
    empty,
    send: sent => createRole({ ...inputOf(sent), type: sent.type }),
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
            onChange={edit}
          >
            <NativeSelect
              label="Granted"
              description="Cannot be changed later."
              value={draft.type}
              data={[
                { value: 'custom', label: 'In a project' },
                { value: 'root-custom', label: 'On the instance' },
              ]}
              onChange={event =>
                edit(
                  event.target.value === 'root-custom'
                    ? { type: 'root-custom' }
                    : { type: 'custom', permissions: draft.permissions.filter(one => !rootNames.has(one)) },
                )
              }
            />
          </RoleForm>
        }
        creation={{
          action: 'Create role',
          call: 'createRole',
          pending: isPending,
          disabled: draft.name.trim() === '',
          cancel: '/admin/roles',
        }}
      >
        <RailSection title="What a role does">
          <p className={s.words}>
            {draft.type === 'custom'
              ? 'Holders have these permissions in the projects in which the role is granted.'
              : 'Holders have these permissions on the instance, and the project permissions in every project that they can read. It does not give access to private projects.'}
          </p>
          <p className={s.words}>
            {counted(draft.permissions.length, 'permission')} chosen. Everyone can read projects that are not
            private without a permission.
          </p>
        </RailSection>
      </FormAndEffect>
      {unsaved.question}
    </Page>
  );
}

/** A role as a matrix of permissions, what differs from another role, and who has it. */
export function RolePage() {
  const { roleId = '' } = useParams({ strict: false });
  const id = Number(roleId);
  const found = useQuery(roleQuery(id));
  const permissions = useQuery(permissionsQuery);
  if (found.data && permissions.data)
    return <RoleEditor key={id} found={found.data} permissions={permissions.data} />;
  return (
    <Page title="Role" crumbs={crumbs}>
      <Loading of={[found, permissions]} />
    </Page>
  );
}

function RoleEditor({
  found,
  permissions,
}: {
  found: { role: RoleWithPermissions; etag: string };
  permissions: Permissions;
}) {
  const client = useQueryClient();
  const { role } = found;
  const { data: roles = [] } = useQuery(rolesQuery);
  const missing = useMissingPermissions('updateRole');
  const mayReadHolders = useMissingPermissions('getRoleHolders').length === 0;
  const holders = useQuery({ ...holdersQuery(role.id), enabled: mayReadHolders });
  const read = async () => {
    const now = await client.fetchQuery({ ...roleQuery(role.id), staleTime: 0 });
    return { draft: draftOf(now.role), etag: now.etag };
  };
  const { draft, changes, change, error, conflict, question, ...editor } = useEditor<Draft>({
    thing: `role:${role.id}`,
    current: { draft: draftOf(role), etag: found.etag },
    read,
    save: (sent, etag) => updateRole(role.id, inputOf(sent), etag),
    findChange: () => findChange(subjectOf(role.id)),
    onSaved: async () => {
      toast({ message: 'Role saved. Its holders have the new permissions now.' });
      return await read();
    },
  });
  const isReadOnly = !isCustom(role) || missing.length > 0;
  const total = holders.data?.total;
  return (
    <Page
      title={role.name}
      crumbs={crumbs}
      note={
        <>
          <State tone="off">{isCustom(role) ? 'Custom' : 'Built in'}</State> {scopeOf(role)}
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
                compareWith={roles.filter(one => one.id !== role.id && isRoot(one) === isRoot(role))}
                onChange={change}
              />
              <Elsewhere role={role} />
              {isCustom(role) && <Deletion role={role} holders={total} />}
            </>
          )
        }
        bar={
          changes.length > 0 &&
          !conflict && (
            <SaveBar
              changes={changes}
              action={total ? `Save for ${counted(total, 'holder')}` : 'Save'}
              missing={missing}
              pending={editor.isPending}
              disabled={draft.name.trim() === ''}
              onSave={editor.save}
              onDiscard={editor.discard}
            />
          )
        }
      >
        {mayReadHolders && <Holders query={holders} isRoot={isRoot(role)} />}
        <LastChange subject={subjectOf(role.id)} />
      </FormAndEffect>
      {question}
    </Page>
  );
}

/** Permissions that apply to one project only. Built-in roles have them in the default project. */
function Elsewhere({ role }: { role: RoleWithPermissions }) {
  const byProject = Map.groupBy(
    role.permissions.filter(({ project }) => project !== undefined),
    ({ project = '' }) => project,
  );
  return [...byProject].map(([projectId, held]) => (
    <p key={projectId} className={s.words}>
      Also has {counted(held.length, 'permission')} in the project{' '}
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
              Not possible while <a href="#holders">{counted(holders, 'holder')}</a>{' '}
              {holders === 1 ? 'has' : 'have'} it. Revoke it first.
            </>
          ) : undefined
        }
        typed={role.name}
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
