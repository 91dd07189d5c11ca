import { Button, NativeSelect } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Plus, Users } from 'lucide-react';
import { useState } from 'react';
import { can } from '../../api/can.ts';
import { useMe, useMissingPermissions } from '../../api/me.ts';
import { requirement } from '../../api/permission-words.ts';
import { Can } from '../../ui/Can.tsx';
import { Confirm } from '../../ui/Confirm.tsx';
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
import { counted } from '../../ui/words.ts';
import type { ProjectDetails } from '../queries.ts';
import { AddAccess } from './AddAccess.tsx';
import { SettingsPage } from './Frame.tsx';
import { type Access, accessQuery, revokeRoles, setRoles } from './queries.ts';
import s from './settings.module.css';
import { changesOfAccess } from './subjects.ts';
import { lastOwnerOf, namesOf, type Row, rowsOf } from './words.ts';

/** Who has a role in the project. `?edit=new` opens the panel that grants one. */
export function AccessPage() {
  return <SettingsPage>{project => <AccessOf key={project.id} project={project} />}</SettingsPage>;
}

const textOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);

/** More rows are found by searching. */
const SHOWN = 200;

function AccessOf({ project }: { project: ProjectDetails }) {
  const me = useMe();
  const { search, push, replace } = useFilters();
  const { data, error, refetch } = useQuery(accessQuery(project.id));
  const typed = typeof search.query === 'string' ? search.query : '';
  const add = () => push({ edit: 'new' });
  useShortcuts([
    can(me, 'addProjectAccess', { project: project.id }) && {
      keys: 'n',
      description: 'Add access',
      run: add,
    },
  ]);
  const rows = data ? rowsOf(data) : [];
  const words = typed.trim().toLowerCase();
  const matching = rows.filter(({ name, note }) => `${name}\n${note}`.toLowerCase().includes(words));
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
            <Button variant="filled" className={s.right} leftSection={<Plus size={14} />} onClick={add}>
              Add access <kbd className={s.kbd}>N</kbd>
            </Button>
          </Can>
        </header>
        {error && !data && <Failure error={error} onRetry={() => void refetch()} />}
        {!error && !data && <Skeleton rows={5} />}
        {data && rows.length > 0 && (
          <TextFilter
            label="Filter members"
            placeholder="Name or email address"
            value={typed}
            found={counted(matching.length, 'member')}
            onChange={query => replace({ query: query || undefined })}
          />
        )}
        {data && rows.length === 0 && (
          <Empty icon={<Users size={22} />}>Nobody has a role in this project. Admins can change it.</Empty>
        )}
        {rows.length > 0 && matching.length === 0 && (
          <Empty action={<Button onClick={() => push({ query: undefined })}>Remove “{typed.trim()}”</Button>}>
            No members match.
          </Empty>
        )}
        {data && matching.length > 0 && (
          <Table project={project} access={data} rows={matching.slice(0, SHOWN)} />
        )}
        {matching.length > SHOWN && (
          <p className="muted">The first {SHOWN} are shown. Filter to see others.</p>
        )}
      </section>
      <aside className={s.rail} aria-label="Effect">
        <LastChange subject={changesOfAccess(project.id)} />
      </aside>
      {search.edit === 'new' && data && (
        <AddAccess
          project={project}
          access={data}
          start={{ user: textOf(search.user), role: textOf(search.role) }}
          onClose={() => replace({ edit: undefined, user: undefined, role: undefined })}
        />
      )}
    </div>
  );
}

function Table({ project, access, rows }: { project: ProjectDetails; access: Access; rows: readonly Row[] }) {
  const lastOwner = lastOwnerOf(access);
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
          <Holder
            key={row.key}
            project={project}
            access={access}
            row={row}
            isLastOwner={row.key === lastOwner}
          />
        ))}
      </tbody>
    </table>
  );
}

function Holder({
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
  const missing = useMissingPermissions('setProjectRolesOfUser', { project: project.id });
  const [asked, ask] = useState<'revoke' | number>();
  const isMe = row.kind === 'user' && row.id === me.user.id;
  const isReadOnly = missing.length > 0;
  const change = async (role: number) => {
    await setRoles(project.id, row, [role]);
    toast({ message: `${row.name} is now ${namesOf([role], access.roles)} of ${project.name}.` });
  };
  const revoke = async () => {
    await revokeRoles(project.id, row);
    toast({ message: `Removed ${row.name} from ${project.name}.` });
  };
  const reason = isLastOwner
    ? 'The last owner. Make someone else an owner first.'
    : isReadOnly
      ? requirement(missing)
      : undefined;
  const several = row.roles.length > 1;
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
          disabled={reason !== undefined}
          value={several ? 'several' : String(row.roles[0])}
          data={[
            ...(several ? [{ value: 'several', label: namesOf(row.roles, access.roles) }] : []),
            ...access.roles.map(role => ({ value: String(role.id), label: role.name })),
          ]}
          onChange={event => {
            const role = Number(event.target.value);
            // A change to the user's own role may revoke the permission to change it back.
            if (isMe) ask(role);
            else void change(role).catch(toastError);
          }}
        />
        {isLastOwner && <small className={s.reason}>{reason}</small>}
      </td>
      <td className="muted">{row.source}</td>
      <td className={s.when}>
        <Time at={row.addedAt} as="date" />
      </td>
      <td>
        {isLastOwner ? null : (
          <Can
            call={row.kind === 'user' ? 'deleteProjectRolesOfUser' : 'deleteProjectRolesOfGroup'}
            project={project.id}
          >
            <Button size="compact-xs" onClick={() => ask('revoke')}>
              Remove… <span className="sr">{row.name}</span>
            </Button>
          </Can>
        )}
        {asked !== undefined && (
          <Confirm
            opened
            title={asked === 'revoke' ? `Remove ${row.name} from ${project.name}?` : 'Change your own role?'}
            action={asked === 'revoke' ? `Remove ${row.name}` : 'Change my role'}
            danger
            onConfirm={() => (asked === 'revoke' ? revoke() : change(asked))}
            onClose={() => ask(undefined)}
          >
            <p>{asked === 'revoke' ? lossOf(row, project) : 'You may not be able to change it back.'}</p>
          </Confirm>
        )}
      </td>
    </tr>
  );
}

/** What a user or group can no longer do. */
const lossOf = ({ kind, name }: Row, { mode }: ProjectDetails): string =>
  `${kind === 'group' ? `The members of ${name} lose` : `${name} loses`} the role in this project${
    mode === 'private' ? ', and no longer see it' : ', and can still read it'
  }. Roles of groups and of the instance remain.`;
