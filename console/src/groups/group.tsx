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
import { findNameProblems } from '../ui/problems.ts';
import { RailSection } from '../ui/RailSection.tsx';
import { SaveBar } from '../ui/SaveBar.tsx';
import { toast } from '../ui/toasts.ts';
import { useCreation } from '../ui/useCreation.ts';
import { useEditor } from '../ui/useEditor.tsx';
import { formatCount } from '../ui/words.ts';
import { usersQuery } from '../users/queries.ts';
import type { RootRole } from '../users/roles.ts';
import { type Draft, EMPTY_DRAFT, toDraft, toInput } from './draft.ts';
import { GroupForm } from './GroupForm.tsx';
import s from './groups.module.css';
import { ProjectRoles } from './ProjectRoles.tsx';
import {
  buildSubject,
  createGroup,
  deleteGroup,
  type Group,
  groupProjectsQuery,
  groupQuery,
  updateGroup,
} from './queries.ts';

const crumbs = <Link to="/admin/groups">Groups</Link>;

/** Creates a group. The user adds its roles in projects later, on the group's page. */
export function NewGroupPage() {
  const { data, error, refetch } = useQuery(usersQuery);
  if (data) return <NewGroup roles={data.rootRoles} />;
  return (
    <Page title="New group" crumbs={crumbs}>
      <Loading queries={[{ error, refetch }]} />
    </Page>
  );
}

function NewGroup({ roles }: { roles: readonly RootRole[] }) {
  const navigate = useNavigate();
  const { draft, edit, submit, error, isPending, unsaved } = useCreation({
    draftKey: 'new-group',
    empty: EMPTY_DRAFT,
    send: sentDraft => createGroup(toInput(sentDraft, roles)),
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
          problems: findNameProblems(draft.name),
          cancel: '/admin/groups',
        }}
      >
        <RailSection title="What a group does">
          <p className={s.words}>
            Every member has the group's role on the instance and its roles in projects, in addition to their
            own. Users whom the identity provider lists in a mapped group join this group when they log in.
          </p>
        </RailSection>
      </FormAndEffect>
      {unsaved.confirmation}
    </Page>
  );
}

/** Shows a group with its members and roles, and the consequences of deleting it. */
export function GroupPage() {
  const { groupId = '' } = useParams({ strict: false });
  const id = Number(groupId);
  const groupResult = useQuery(groupQuery(id));
  const users = useQuery(usersQuery);
  if (groupResult.data && users.data)
    return <GroupEditor key={id} current={groupResult.data} roles={users.data.rootRoles} />;
  return (
    <Page title="Group" crumbs={crumbs}>
      <Loading queries={[groupResult, users]} />
    </Page>
  );
}

function GroupEditor({
  current,
  roles,
}: {
  current: { group: Group; etag: string };
  roles: readonly RootRole[];
}) {
  const client = useQueryClient();
  const { group } = current;
  const readLatest = async () => {
    const latest = await client.fetchQuery({ ...groupQuery(group.id), staleTime: 0 });
    return { draft: toDraft(latest.group, roles), etag: latest.etag };
  };
  const { draft, changes, change, error, conflict, confirmation, ...editor } = useEditor<Draft>({
    draftKey: `group:${group.id}`,
    current: { draft: toDraft(group, roles), etag: current.etag },
    read: readLatest,
    save: (sentDraft, etag) => updateGroup(group.id, toInput(sentDraft, roles), etag),
    findChange: () => findChange(buildSubject(group.id)),
    onSaved: async () => {
      toast({ message: 'Group saved. Members have the new roles now.' });
      return await readLatest();
    },
  });
  const missingPermissions = useMissingPermissions('updateGroup');
  return (
    <Page title={group.name} crumbs={crumbs} note={formatCount(group.userCount, 'member')}>
      <FormAndEffect
        as="page"
        title="Group access"
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
              missingPermissions={missingPermissions}
              pending={editor.isPending}
              disabled={draft.name.trim() === ''}
              onSave={editor.save}
              onDiscard={editor.discard}
            />
          )
        }
      >
        <ProjectRoles group={group} />
        <LastChange subject={buildSubject(group.id)} />
      </FormAndEffect>
      {confirmation}
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
        nameToType={group.name}
        onConfirm={async () => {
          await deleteGroup(group.id);
          await navigate({ to: '/admin/groups', ignoreBlocker: true });
          toast({ message: `Deleted ${group.name}.` });
        }}
      >
        <p>
          {formatCount(group.userCount, 'member')} {group.userCount === 1 ? 'loses' : 'lose'} what they have
          through this group
          {projects.length > 0 && (
            <>
              : its roles in{' '}
              {projects.map(({ id, name }, index) => (
                <span key={id}>
                  {index > 0 && ', '}
                  <Link to="/projects/$projectId" params={{ projectId: id }}>
                    {name}
                  </Link>
                </span>
              ))}
            </>
          )}
          {group.rootRole !== null &&
            (projects.length > 0 ? ', and its role on the instance' : ': its role on the instance')}
          . Their accounts remain.
        </p>
      </DangerAction>
    </DangerZone>
  );
}
