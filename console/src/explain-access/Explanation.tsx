import { Link } from '@tanstack/react-router';
import { Check, Info, Minus, Shield, Users, X } from 'lucide-react';
import { Fragment, type ReactNode } from 'react';
import { can, type Me } from '../api/can.ts';
import { useMe } from '../api/me.ts';
import { getPermissionLabel } from '../roles/areas.ts';
import { escapeText } from '../ui/caller-text.ts';
import { Env } from '../ui/Env.tsx';
import { Person } from '../ui/Person.tsx';
import { Time } from '../ui/Time.tsx';
import s from './explain-access.module.css';
import type { Change, Explanation, OtherRole, Path } from './queries.ts';
import { describeDecision, describeMismatch, describeScope, describeSideEffects } from './words.ts';

/** Shows the decision, then the roles that grant the permission or, if it is missing, the changes that would grant it. */
export function ExplanationView({ explanation }: { explanation: Explanation }) {
  const { allowed, paths, otherRoles } = explanation;
  return (
    <div className={s.explanation}>
      <div className={s.verdict} data-tone={allowed ? 'on' : 'bad'} role="status">
        <i className={s.dot} data-tone={allowed ? 'on' : 'bad'} aria-hidden="true">
          {allowed ? <Check size={14} /> : <X size={14} />}
        </i>
        <p>
          <b>{allowed ? 'Yes.' : 'No.'}</b> {describeDecision(explanation)}
        </p>
      </div>
      {allowed ? (
        <GrantingPaths explanation={explanation} />
      ) : (
        <MissingPermission explanation={explanation} />
      )}
      {otherRoles.length > 0 && allowed && paths.length > 0 && (
        <>
          <h2>What does not grant it</h2>
          <ul className={s.rows}>
            {otherRoles.map(otherRole => (
              <li key={getKey(otherRole)}>
                <Minus size={16} aria-hidden="true" />
                <p>
                  {describeRoleSource(otherRole)} <b>{otherRole.role.name}</b>, {describeMismatch(otherRole)}
                </p>
              </li>
            ))}
          </ul>
        </>
      )}
      {allowed && paths.length === 1 && paths[0] && (
        <p className={s.note}>
          <Info size={16} aria-hidden="true" />
          <span>This is the only path: {describeLoss(paths[0], explanation.subject.name)}</span>
        </p>
      )}
    </div>
  );
}

const getKey = ({ role, project, group }: Pick<Path, 'role' | 'project' | 'group'>): string =>
  `${role.id} ${project} ${group?.id}`;

const describeRoleSource = ({ group, project }: OtherRole): string => {
  const place = project === null ? ' on the instance' : '';
  return group ? `The role of the group ${escapeText(group.name)}${place},` : `Their own role${place},`;
};

const describeLoss = ({ group, role }: Path, name: string): string =>
  group
    ? `if ${escapeText(name)} leaves ${escapeText(group.name)}, or the group loses the ${escapeText(role.name)} role, access ends.`
    : `if ${escapeText(name)} loses the ${escapeText(role.name)} role, access ends.`;

function GrantingPaths({ explanation }: { explanation: Explanation }) {
  const { paths, reason } = explanation;
  if (reason === 'admin-token') return <p className={s.text}>An admin token may do everything.</p>;
  if (paths.length === 0)
    return (
      <p className={s.text}>
        Reading needs no permission: everyone who can log in can read open and protected projects.
      </p>
    );
  return paths.map((path, index) => (
    <section key={getKey(path)} aria-label={index === 0 ? 'Because' : 'And because'}>
      <h2>{index === 0 ? 'Because' : 'And because'}</h2>
      <ol className={s.chain}>
        <RoleSteps assignment={path} explanation={explanation} />
        <Step icon={<Shield size={14} />} note={path.permission && <code>{path.permission}</code>}>
          <b>{path.role.name}</b>{' '}
          {path.permission === null ? (
            'makes its holder a member of the private project'
          ) : path.permission === 'ADMIN' ? (
            'includes every permission'
          ) : (
            <>
              includes <b>{getPermissionLabel(path.permission)}</b> <ScopeText explanation={explanation} />
            </>
          )}
        </Step>
      </ol>
    </section>
  ));
}

/** Shows whether the subject has a role directly or through a group. */
function RoleSteps({
  assignment,
  explanation,
}: {
  assignment: Omit<Path, 'permission'>;
  explanation: Explanation;
}) {
  const { subject, project } = explanation;
  const scope =
    assignment.project === null ? (
      'on the instance'
    ) : (
      <>
        in{' '}
        <Link className={s.link} to="/projects/$projectId" params={{ projectId: assignment.project }}>
          {project?.name ?? assignment.project}
        </Link>
      </>
    );
  const grant = <Attribution by={assignment.grantedBy} at={assignment.grantedAt} verb="granted" />;
  if (assignment.group === null)
    return (
      <Step icon={<Person name={subject.name} size={24} />} plain note={grant}>
        <b>{subject.name}</b> has the <b>{assignment.role.name}</b> role {scope}
      </Step>
    );
  return (
    <>
      <Step
        icon={<Person name={subject.name} size={24} />}
        plain
        note={<Attribution by={assignment.group.addedBy} at={assignment.group.joinedAt} verb="added" />}
      >
        <b>{subject.name}</b> is in the group <b>{assignment.group.name}</b>
      </Step>
      <Step icon={<Users size={14} />} note={grant}>
        The group <b>{assignment.group.name}</b> has the <b>{assignment.role.name}</b> role {scope}
      </Step>
    </>
  );
}

function Attribution({ by, at, verb }: { by: string | null; at: string | null; verb: string }) {
  if (at === null) return null;
  return (
    <>
      {verb} {by && `by ${escapeText(by)} `}
      <Time at={at} />
    </>
  );
}

function ScopeText({ explanation }: { explanation: Explanation }) {
  const { project, environment } = explanation;
  if (!project || !environment) return describeScope(explanation);
  return (
    <>
      in <Env name={environment} />
    </>
  );
}

function Step({
  icon,
  plain,
  note,
  tone,
  children,
}: {
  icon: ReactNode;
  plain?: boolean;
  note?: ReactNode;
  tone?: 'bad';
  children: ReactNode;
}) {
  return (
    <li data-tone={tone}>
      {plain ? (
        icon
      ) : (
        <i className={tone ? s.dot : s.icon} data-tone={tone} aria-hidden="true">
          {icon}
        </i>
      )}
      <p>
        {children}
        {note && <small>{note}</small>}
      </p>
    </li>
  );
}

function MissingPermission({ explanation }: { explanation: Explanation }) {
  const me = useMe();
  const { subject, permission, reason, otherRoles, paths, changes, grantors } = explanation;
  if (reason === 'deactivated')
    return <p className={s.text}>An admin can reactivate the user, who then has the same roles again.</p>;
  return (
    <>
      <h2>What {escapeText(subject.name)} has</h2>
      <ol className={s.chain}>
        {paths.map(path => (
          <RoleSteps key={getKey(path)} assignment={path} explanation={explanation} />
        ))}
        {otherRoles.map(otherRole => (
          <Fragment key={getKey(otherRole)}>
            <RoleSteps assignment={otherRole} explanation={explanation} />
            {otherRole.why === 'other-environments' && (
              <Step icon={<Shield size={14} />}>
                <b>{otherRole.role.name}</b> {describeMismatch(otherRole)}
              </Step>
            )}
          </Fragment>
        ))}
        <Step icon={<X size={14} />} tone="bad" note={permission && <code>{permission}</code>}>
          {reason === 'cannot-read-project' ? (
            'Missing: a role in the private project'
          ) : (
            <>
              Missing: <b>{getPermissionLabel(permission ?? '')}</b> <ScopeText explanation={explanation} />
            </>
          )}
        </Step>
      </ol>
      <h2>What would grant it</h2>
      <ul className={s.rows}>
        {changes.map(change => (
          <li key={`${change.kind} ${change.role.id} ${change.group?.id}`}>
            <i className={s.icon} aria-hidden="true">
              {change.group ? <Users size={14} /> : <Shield size={14} />}
            </i>
            <p>
              <ChangeText change={change} explanation={explanation} />
              <small>{describeSideEffects(change, permission)}</small>
            </p>
            {mayChange(me, change, explanation) && (
              <Link className={s.link} {...linkToChange(change, explanation)}>
                {LINK_LABELS[change.kind]}
              </Link>
            )}
          </li>
        ))}
      </ul>
      {grantors.length > 0 && (
        <p className={s.text}>
          Who can grant it:{' '}
          {grantors.map(({ id, name, because }) => (
            <span key={id} className={s.grantor}>
              <Person name={name} size={18} showName />{' '}
              <span className="muted">({because === 'admin' ? 'admin' : 'project owner'})</span>
            </span>
          ))}
        </p>
      )}
    </>
  );
}

const LINK_LABELS: Record<Change['kind'], string> = {
  'join-group': 'Open group',
  'set-root-role': 'Open user',
  'grant-project-role': 'Grant role…',
};

/** Whether the user can make the change themselves. */
const mayChange = (me: Me, { kind }: Change, { project }: Explanation): boolean =>
  kind === 'grant-project-role'
    ? can(me, 'addProjectAccess', { project: project?.id })
    : can(me, kind === 'join-group' ? 'updateGroup' : 'updateUser');

/** Returns the link to the page where the change is made. */
function linkToChange({ kind, group, role }: Change, { subject, project }: Explanation) {
  if (kind === 'join-group') return { to: `/admin/groups/${group?.id}` };
  if (kind === 'set-root-role') return { to: '/admin/users', search: { user: String(subject.id) } };
  return {
    to: `/projects/${project?.id}/settings/access`,
    search: { edit: 'new', user: String(subject.id), role: String(role.id) },
  };
}

function ChangeText({ change, explanation }: { change: Change; explanation: Explanation }) {
  const { name } = explanation.subject;
  if (change.kind === 'join-group')
    return (
      <>
        Add {name} to the group <b>{change.group?.name}</b>
      </>
    );
  if (change.kind === 'set-root-role')
    return (
      <>
        Change {name}'s role on the instance to <b>{change.role.name}</b>
      </>
    );
  return (
    <>
      Grant {name} the <b>{change.role.name}</b> role in {explanation.project?.name}
    </>
  );
}
