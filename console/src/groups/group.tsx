import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate, useParams } from '@tanstack/react-router';
import { useMissingPermissions } from '../api/me.ts';
import { Conflict } from '../ui/Conflict.tsx';
import { DangerAction, DangerZone } from '../ui/DangerZone.tsx';
import { FormAndEffect } from '../ui/FormAndEffect.tsx';
import { LastChange } from '../ui/LastChange.tsx';
import { Loading } from '../ui/Loading.tsx';
import { findChange } from '../ui/last-change.ts';
import { Page } from '../ui/Page.tsx';
import { RailSection } from '../ui/RailSection.tsx';
import { SaveBar } from '../ui/SaveBar.tsx';
import { toast } from '../ui/toasts.ts';
import { useCreation } from '../ui/useCreation.ts';
import { useEditor } from '../ui/useEditor.tsx';
import { counted } from '../ui/words.ts';
import { usersQuery } from '../users/queries.ts';
import type { RootRole } from '../users/roles.ts';
import { type Draft, draftOf, EMPTY, inputOf } from './draft.ts';
import { GroupForm } from './GroupForm.tsx';
import s from './groups.module.css';
import { ProjectRoles } from './ProjectRoles.tsx';
import {
  createGroup,
  deleteGroup,
  type Group,
  groupProjectsQuery,
  groupQuery,
  subjectOf,
  updateGroup,
} from './queries.ts';

const crumbs = <Link to="/admin/groups">Groups</Link>;

/** Creates a group. Its roles in projects follow on its page. */
export function NewGroupPage() {
  const { data, error, refetch } = useQuery(usersQuery);
  if (data) return <NewGroup roles={data.rootRoles} />;
  return (
    <Page title="New group" crumbs={crumbs}>
      <Loading of={[{ error, refetch }]} />
    </Page>
  );
}

function NewGroup({ roles }: { roles: readonly RootRole[] }) {
  const navigate = useNavigate();
  const { draft, edit, submit, error, isPending, unsaved } = useCreation({
    thing: 'new-group',
    empty: EMPTY,
    send: sent => createGroup(inputOf(sent, roles)),
    onSent: async ({ id, name }) => {
      toast({ message: `Created ${name}.` });
      await navigate({
        to: '/admin/groups/$groupId',
        params: { groupId: String(id) },
        replace: true,
        ignoreBlocker: true,
      });
    },
  });
  return (
    <Page title="New group" crumbs={crumbs}>
      <FormAndEffect
        as="page"
        title="About groups"
        onSubmit={submit}
        form={<GroupForm draft={draft} roles={roles} error={error} onChange={edit} />}
        creation={{
          action: 'Create group',
          call: 'createGroup',
          pending: isPending,
          disabled: draft.name.trim() === '',
          cancel: '/admin/groups',
        }}
      >
        <RailSection title="What a group does">
          <p className={s.words}>
            Every member has the root role of the group on the instance, and its roles in projects, in
            addition to their own. When single sign-on sends one of the mapped groups, the user joins at the
            next login.
          </p>
        </RailSection>
      </FormAndEffect>
      {unsaved.question}
    </Page>
  );
}

/** A group: its members and root role, its roles in projects, and what would be lost by deleting it. */
export function GroupPage() {
  const { groupId = '' } = useParams({ strict: false });
  const id = Number(groupId);
  const found = useQuery(groupQuery(id));
  const users = useQuery(usersQuery);
  if (found.data && users.data)
    return <GroupEditor key={id} found={found.data} roles={users.data.rootRoles} />;
  return (
    <Page title="Group" crumbs={crumbs}>
      <Loading of={[found, users]} />
    </Page>
  );
}

function GroupEditor({
  found,
  roles,
}: {
  found: { group: Group; etag: string };
  roles: readonly RootRole[];
}) {
  const client = useQueryClient();
  const { group } = found;
  const read = async () => {
    const now = await client.fetchQuery({ ...groupQuery(group.id), staleTime: 0 });
    return { draft: draftOf(now.group, roles), etag: now.etag };
  };
  const { draft, changes, change, error, conflict, question, ...editor } = useEditor<Draft>({
    thing: `group:${group.id}`,
    current: { draft: draftOf(group, roles), etag: found.etag },
    read,
    save: (sent, etag) => updateGroup(group.id, inputOf(sent, roles), etag),
    findChange: () => findChange(subjectOf(group.id)),
    onSaved: async () => {
      toast({ message: 'Group saved. Members have the new roles now.' });
      return await read();
    },
  });
  const missing = useMissingPermissions('updateGroup');
  return (
    <Page title={group.name} crumbs={crumbs} note={counted(group.userCount, 'member')}>
      <FormAndEffect
        as="page"
        title="Access of the group"
        onSubmit={() => changes.length > 0 && editor.save()}
        form={
          conflict ? (
            <Conflict noun="group" {...conflict} />
          ) : (
            <>
              <GroupForm draft={draft} roles={roles} error={error} onChange={change} />
              <Deletion group={group} />
            </>
          )
        }
        bar={
          changes.length > 0 &&
          !conflict && (
            <SaveBar
              changes={changes}
              missing={missing}
              pending={editor.isPending}
              disabled={draft.name.trim() === ''}
              onSave={editor.save}
              onDiscard={editor.discard}
            />
          )
        }
      >
        <ProjectRoles group={group} />
        <LastChange subject={subjectOf(group.id)} />
      </FormAndEffect>
      {question}
    </Page>
  );
}

function Deletion({ group }: { group: Group }) {
  const navigate = useNavigate();
  const projects = useQuery(groupProjectsQuery(group.id)).data ?? [];
  return (
    <DangerZone>
      <DangerAction
        title="Delete this group"
        action="Delete group"
        call="deleteGroup"
        typed={group.name}
        onConfirm={async () => {
          await deleteGroup(group.id);
          await navigate({ to: '/admin/groups', ignoreBlocker: true });
          toast({ message: `Deleted ${group.name}.` });
        }}
      >
        <p>
          {counted(group.userCount, 'member')} {group.userCount === 1 ? 'loses' : 'lose'} what they have
          through this group
          {projects.length > 0 && (
            <>
              : its roles in{' '}
              {projects.map(({ id, name }, n) => (
                <span key={id}>
                  {n > 0 && ', '}
                  <Link to="/projects/$projectId" params={{ projectId: id }}>
                    {name}
                  </Link>
                </span>
              ))}
            </>
          )}
          {group.rootRole !== null && (projects.length > 0 ? ', and its root role' : ': its root role')}. The
          users stay.
        </p>
      </DangerAction>
    </DangerZone>
  );
}
