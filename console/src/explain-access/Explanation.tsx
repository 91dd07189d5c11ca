import { Link } from '@tanstack/react-router';
import { Check, Info, Minus, Shield, Users, X } from 'lucide-react';
import { Fragment, type ReactNode } from 'react';
import { can, type Me } from '../api/can.ts';
import { useMe } from '../api/me.ts';
import { permissionLabel } from '../roles/areas.ts';
import { Env } from '../ui/Env.tsx';
import { Person } from '../ui/Person.tsx';
import { Time } from '../ui/Time.tsx';
import s from './explain-access.module.css';
import type { Change, Explanation, OtherRole, Path } from './queries.ts';
import { placeOf, sideEffects, verdictOf, whyNot } from './words.ts';

/** The verdict first, then the chain behind it, or what is missing and what would grant it. */
export function ExplanationView({ explanation }: { explanation: Explanation }) {
  const { allowed, paths, otherRoles } = explanation;
  return (
    <div className={s.explanation}>
      <div className={s.verdict} data-tone={allowed ? 'on' : 'bad'} role="status">
        <i className={s.dot} data-tone={allowed ? 'on' : 'bad'} aria-hidden="true">
          {allowed ? <Check size={14} /> : <X size={14} />}
        </i>
        <p>
          <b>{allowed ? 'Yes.' : 'No.'}</b> {verdictOf(explanation)}
        </p>
      </div>
      {allowed ? <Because explanation={explanation} /> : <Missing explanation={explanation} />}
      {otherRoles.length > 0 && allowed && paths.length > 0 && (
        <>
          <h2>What does not grant it</h2>
          <ul className={s.rows}>
            {otherRoles.map(held => (
              <li key={keyOf(held)}>
                <Minus size={16} aria-hidden="true" />
                <p>
                  {sourceOf(held)} <b>{held.role.name}</b> {whyNot(held)}
                </p>
              </li>
            ))}
          </ul>
        </>
      )}
      {allowed && paths.length === 1 && paths[0] && (
        <p className={s.note}>
          <Info size={16} aria-hidden="true" />
          <span>This is the only path: {lossOf(paths[0], explanation.subject.name)}</span>
        </p>
      )}
    </div>
  );
}

const keyOf = ({ role, project, group }: Pick<Path, 'role' | 'project' | 'group'>): string =>
  `${role.id} ${project} ${group?.id}`;

const sourceOf = ({ group, project }: OtherRole): string => {
  const scope = project === null ? 'root role' : 'role';
  return group ? `The ${scope} of the group ${group.name},` : `Their own ${scope}`;
};

const lossOf = ({ group, role }: Path, name: string): string =>
  group
    ? `if ${name} leaves ${group.name}, or the group loses the role ${role.name}, access ends.`
    : `if ${name} loses the role ${role.name}, access ends.`;

function Because({ explanation }: { explanation: Explanation }) {
  const { paths, reason } = explanation;
  if (reason === 'admin-token') return <p className={s.text}>An admin token may do everything.</p>;
  if (paths.length === 0)
    return (
      <p className={s.text}>
        Reading needs no permission: everyone who can log in reads open and protected projects.
      </p>
    );
  return paths.map((path, at) => (
    <section key={keyOf(path)} aria-label={at === 0 ? 'Because' : 'And because'}>
      <h2>{at === 0 ? 'Because' : 'And because'}</h2>
      <ol className={s.chain}>
        <HeldSteps held={path} explanation={explanation} />
        <Step icon={<Shield size={14} />} note={path.permission && <code>{path.permission}</code>}>
          <b>{path.role.name}</b>{' '}
          {path.permission === null ? (
            'makes its holder a member of the private project'
          ) : path.permission === 'ADMIN' ? (
            'includes every permission'
          ) : (
            <>
              includes <b>{permissionLabel(path.permission)}</b> <Place explanation={explanation} />
            </>
          )}
        </Step>
      </ol>
    </section>
  ));
}

/** How the subject holds a role: directly, or by a group. */
function HeldSteps({ held, explanation }: { held: Omit<Path, 'permission'>; explanation: Explanation }) {
  const { subject, project } = explanation;
  const where =
    held.project === null ? (
      'on the instance'
    ) : (
      <>
        in{' '}
        <Link className={s.link} to="/projects/$projectId" params={{ projectId: held.project }}>
          {project?.name ?? held.project}
        </Link>
      </>
    );
  const granted = <Granted by={held.grantedBy} at={held.grantedAt} verb="granted" />;
  if (held.group === null)
    return (
      <Step icon={<Person name={subject.name} size={24} />} plain note={granted}>
        <b>{subject.name}</b> has the role <b>{held.role.name}</b> {where}
      </Step>
    );
  return (
    <>
      <Step
        icon={<Person name={subject.name} size={24} />}
        plain
        note={<Granted by={held.group.addedBy} at={held.group.joinedAt} verb="added" />}
      >
        <b>{subject.name}</b> is in the group <b>{held.group.name}</b>
      </Step>
      <Step icon={<Users size={14} />} note={granted}>
        The group <b>{held.group.name}</b> has the role <b>{held.role.name}</b> {where}
      </Step>
    </>
  );
}

function Granted({ by, at, verb }: { by: string | null; at: string | null; verb: string }) {
  if (at === null) return null;
  return (
    <>
      {verb} {by && `by ${by} `}
      <Time at={at} />
    </>
  );
}

function Place({ explanation }: { explanation: Explanation }) {
  const { project, environment } = explanation;
  if (!project || !environment) return placeOf(explanation);
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

function Missing({ explanation }: { explanation: Explanation }) {
  const me = useMe();
  const { subject, permission, reason, otherRoles, paths, changes, grantors } = explanation;
  if (reason === 'deactivated')
    return <p className={s.text}>An admin can reactivate the user, who then has the same roles again.</p>;
  return (
    <>
      <h2>What {subject.name} has</h2>
      <ol className={s.chain}>
        {paths.map(one => (
          <HeldSteps key={keyOf(one)} held={one} explanation={explanation} />
        ))}
        {otherRoles.map(one => (
          <Fragment key={keyOf(one)}>
            <HeldSteps held={one} explanation={explanation} />
            {one.why === 'other-environments' && (
              <Step icon={<Shield size={14} />}>
                <b>{one.role.name}</b> {whyNot(one)}
              </Step>
            )}
          </Fragment>
        ))}
        <Step icon={<X size={14} />} tone="bad" note={permission && <code>{permission}</code>}>
          {reason === 'cannot-read-project' ? (
            'Missing: a role in the private project'
          ) : (
            <>
              Missing: <b>{permissionLabel(permission ?? '')}</b> <Place explanation={explanation} />
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
              <small>{sideEffects(change, permission)}</small>
            </p>
            {mayChange(me, change, explanation) && (
              <Link className={s.link} {...placeToChange(change, explanation)}>
                {OPEN[change.kind]}
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
              <Person name={name} size={18} named />{' '}
              <span className="muted">({because === 'admin' ? 'admin' : 'project owner'})</span>
            </span>
          ))}
        </p>
      )}
    </>
  );
}

const OPEN: Record<Change['kind'], string> = {
  'join-group': 'Open group',
  'set-root-role': 'Open user',
  'grant-project-role': 'Grant role…',
};

/** Whether the reader can make the change, or has to ask somebody. */
const mayChange = (me: Me, { kind }: Change, { project }: Explanation): boolean =>
  kind === 'grant-project-role'
    ? can(me, 'addProjectAccess', { project: project?.id })
    : can(me, kind === 'join-group' ? 'updateGroup' : 'updateUser');

/** The page on which somebody makes the change. */
function placeToChange({ kind, group, role }: Change, { subject, project }: Explanation) {
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
        Make <b>{change.role.name}</b> the root role of {name}
      </>
    );
  return (
    <>
      Grant {name} the role <b>{change.role.name}</b> in {explanation.project?.name}
    </>
  );
}
