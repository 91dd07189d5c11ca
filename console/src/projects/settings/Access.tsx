import { Button, NativeSelect } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Plus, Users } from 'lucide-react';
import { useState } from 'react';
import { can } from '../../api/can.ts';
import { useMe, useMissingPermissions } from '../../api/me.ts';
import { describeMissingPermissions } from '../../api/permission-words.ts';
import { Can } from '../../ui/Can.tsx';
import { Confirm } from '../../ui/Confirm.tsx';
import { escapeText } from '../../ui/caller-text.ts';
import { Empty } from '../../ui/Empty.tsx';
import { Failure } from '../../ui/Failure.tsx';
import { LastChange } from '../../ui/LastChange.tsx';
import { Person } from '../../ui/Person.tsx';
import { Skeleton } from '../../ui/Skeleton.tsx';
import { useShortcuts } from '../../ui/shortcuts.ts';
import { TextFilter } from '../../ui/TextFilter.tsx';
import { Time } from '../../ui/Time.tsx';
import { toast, toastError } from '../../ui/toasts.ts';
import { useFilters } from '../../ui/useFilters.ts';
import { formatCount } from '../../ui/words.ts';
import type { ProjectDetails } from '../queries.ts';
import { SettingsPage } from './Frame.tsx';
import { GrantRolePanel } from './GrantRolePanel.tsx';
import { type Access, accessQuery, revokeRoles, setRoles } from './queries.ts';
import s from './settings.module.css';
import { buildAccessSubject } from './subjects.ts';
import { findOnlyOwner, formatRoleNames, type Row, toRows } from './words.ts';

/** Lists who has a role in the project. `?edit=new` opens the panel that grants roles. */
export function AccessPage() {
  return <SettingsPage>{project => <ProjectAccess key={project.id} project={project} />}</SettingsPage>;
}

const parseText = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);

/** The maximum number of rows shown. The filter finds the others. */
const MAX_SHOWN = 200;

function ProjectAccess({ project }: { project: ProjectDetails }) {
  const me = useMe();
  const { search, push, replace } = useFilters();
  const { data, error, refetch } = useQuery(accessQuery(project.id));
  const typedText = typeof search.query === 'string' ? search.query : '';
  const grant = () => push({ edit: 'new' });
  useShortcuts([
    can(me, 'addProjectAccess', { project: project.id }) && {
      keys: 'n',
      description: 'Grant a role',
      run: grant,
    },
  ]);
  const rows = data ? toRows(data) : [];
  const searchText = typedText.trim().toLowerCase();
  const matchingRows = rows.filter(({ name, note }) => `${name}\n${note}`.toLowerCase().includes(searchText));
  return (
    <div className={s.withRail}>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must be reachable by keyboard */}
      <section className={s.list} tabIndex={0} aria-label="Access">
        <header className={s.head}>
          <h2>Access</h2>
          <span className="muted">
            {project.mode === 'private'
              ? 'Only these members and admins can see the project.'
              : 'Every user can read the project. Changing it requires a role.'}
          </span>
          <Can call="addProjectAccess" project={project.id}>
            <Button variant="filled" className={s.right} leftSection={<Plus size={14} />} onClick={grant}>
              Grant a role <kbd className={s.kbd}>N</kbd>
            </Button>
          </Can>
        </header>
        {error && !data && <Failure error={error} onRetry={() => void refetch()} />}
        {!error && !data && <Skeleton rows={5} />}
        {data && rows.length > 0 && (
          <TextFilter
            label="Filter members"
            placeholder="Name or email address"
            value={typedText}
            resultText={formatCount(matchingRows.length, 'member')}
            onChange={query => replace({ query: query || undefined })}
          />
        )}
        {data && rows.length === 0 && (
          <Empty icon={<Users size={22} />}>Nobody has a role in this project. Admins can change it.</Empty>
        )}
        {rows.length > 0 && matchingRows.length === 0 && (
          <Empty
            action={<Button onClick={() => push({ query: undefined })}>Remove “{typedText.trim()}”</Button>}
          >
            No members match.
          </Empty>
        )}
        {data && matchingRows.length > 0 && (
          <Table project={project} access={data} rows={matchingRows.slice(0, MAX_SHOWN)} />
        )}
        {matchingRows.length > MAX_SHOWN && (
          <p className="muted">The first {MAX_SHOWN} are shown. Filter to see others.</p>
        )}
      </section>
      <aside className={s.rail} aria-label="Effect">
        <LastChange subject={buildAccessSubject(project.id)} />
      </aside>
      {search.edit === 'new' && data && (
        <GrantRolePanel
          project={project}
          access={data}
          preselection={{
            user: parseText(search.user),
            group: parseText(search.group),
            role: parseText(search.role),
          }}
          onClose={() => replace({ edit: undefined, user: undefined, group: undefined, role: undefined })}
        />
      )}
    </div>
  );
}

function Table({ project, access, rows }: { project: ProjectDetails; access: Access; rows: readonly Row[] }) {
  const onlyOwner = findOnlyOwner(access);
  return (
    <table className={s.table}>
      <thead>
        <tr>
          <th>Member</th>
          <th>Role</th>
          <th>Source</th>
          <th>Since</th>
          <th>
            <span className="sr">Actions</span>
          </th>
        </tr>
      </thead>
      <tbody>
        {rows.map(row => (
          <MemberRow
            key={row.key}
            project={project}
            access={access}
            row={row}
            isLastOwner={row.key === onlyOwner}
          />
        ))}
      </tbody>
    </table>
  );
}

function MemberRow({
  project,
  access,
  row,
  isLastOwner,
}: {
  project: ProjectDetails;
  access: Access;
  row: Row;
  isLastOwner: boolean;
}) {
  const me = useMe();
  const missingPermissions = useMissingPermissions('setProjectRolesOfUser', { project: project.id });
  const [requestedChange, setRequestedChange] = useState<'revoke' | number>();
  const isMe = row.kind === 'user' && row.id === me.user.id;
  const isReadOnly = missingPermissions.length > 0;
  const change = async (role: number) => {
    await setRoles(project.id, row, [role]);
    toast({
      message: `${row.name} now has the role ${formatRoleNames([role], access.roles)} in ${project.name}.`,
    });
  };
  const revoke = async () => {
    await revokeRoles(project.id, row);
    toast({ message: `Removed ${row.name} from ${project.name}.` });
  };
  const lockReason = isLastOwner
    ? 'This is the last owner. Make someone else an owner first.'
    : isReadOnly
      ? describeMissingPermissions(missingPermissions)
      : undefined;
  const hasSeveralRoles = row.roles.length > 1;
  return (
    <tr>
      <td>
        <span className={s.member}>
          {row.kind === 'group' ? (
            <Users size={18} aria-hidden="true" />
          ) : (
            <Person name={row.name} size={22} />
          )}
          <span>
            <b>
              {row.name}
              {isMe && <span className="muted"> (you)</span>}
            </b>
            {row.note && <small>{row.note}</small>}
          </span>
        </span>
      </td>
      <td>
        <NativeSelect
          aria-label={`Role of ${row.name}`}
          disabled={lockReason !== undefined}
          value={hasSeveralRoles ? 'several' : String(row.roles[0])}
          data={[
            ...(hasSeveralRoles
              ? [{ value: 'several', label: formatRoleNames(row.roles, access.roles) }]
              : []),
            ...access.roles.map(role => ({ value: String(role.id), label: role.name })),
          ]}
          onChange={event => {
            const role = Number(event.target.value);
            // A change to the user's own role may revoke the permission to change it back.
            if (isMe) setRequestedChange(role);
            else void change(role).catch(toastError);
          }}
        />
        {isLastOwner && <small className={s.reason}>{lockReason}</small>}
      </td>
      <td className="muted">{row.source}</td>
      <td className={s.when}>
        <Time at={row.addedAt} format="date" />
      </td>
      <td>
        {isLastOwner ? null : (
          <Can
            call={row.kind === 'user' ? 'deleteProjectRolesOfUser' : 'deleteProjectRolesOfGroup'}
            project={project.id}
          >
            <Button size="compact-xs" onClick={() => setRequestedChange('revoke')}>
              Remove… <span className="sr">{row.name}</span>
            </Button>
          </Can>
        )}
        {requestedChange !== undefined && (
          <Confirm
            opened
            title={
              requestedChange === 'revoke'
                ? `Remove ${row.name} from ${project.name}?`
                : 'Change your own role?'
            }
            action={requestedChange === 'revoke' ? `Remove ${row.name}` : 'Change my role'}
            danger
            onConfirm={() => (requestedChange === 'revoke' ? revoke() : change(requestedChange))}
            onClose={() => setRequestedChange(undefined)}
          >
            <p>
              {requestedChange === 'revoke'
                ? describeLoss(row, project)
                : 'You may not be able to change it back.'}
            </p>
          </Confirm>
        )}
      </td>
    </tr>
  );
}

/** Describes what a user or group can no longer do. */
const describeLoss = ({ kind, name }: Row, { mode }: ProjectDetails): string =>
  `${kind === 'group' ? `The members of ${escapeText(name)} lose` : `${escapeText(name)} loses`} the role in this project${
    mode === 'private' ? ', and can no longer see it' : ', but can still read it'
  }. Roles of groups and of the instance remain.`;
