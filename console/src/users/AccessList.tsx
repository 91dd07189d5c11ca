import { Link } from '@tanstack/react-router';
import { Eye, Lock, Shield, User as UserIcon, Users } from 'lucide-react';
import { can } from '../api/can.ts';
import { useMe } from '../api/me.ts';
import { RailSection } from '../ui/RailSection.tsx';
import { State } from '../ui/State.tsx';
import { Time } from '../ui/Time.tsx';
import { formatCount } from '../ui/words.ts';
import s from './AccessList.module.css';
import type { Access } from './queries.ts';

type Project = Access['projects'][number];

/** Lists every project with the deciding role, even if the user has no access, and a line for each reason. */
export function AccessList({ user, name, access }: { user: number; name: string; access: Access }) {
  const me = useMe();
  const readableProjects = access.projects.filter(project => project.readable);
  return (
    <RailSection
      title="Access"
      aside={
        <>
          {readableProjects.length} of {formatCount(access.projects.length, 'project')} ·{' '}
          <Link to="/admin/explain-access" search={{ user }}>
            Explain access
          </Link>
        </>
      }
    >
      <ul className={s.access} aria-label="Projects">
        {access.projects.map(project => (
          <li key={project.id}>
            <header className={s.head}>
              <Link to="/projects/$projectId/settings/access" params={{ projectId: project.id }}>
                {project.name}
              </Link>
              {project.readable ? (
                <State tone="off">{project.roles.map(role => role.name).join(' + ') || 'Can read'}</State>
              ) : (
                <span className={s.no}>
                  <Lock size={13} aria-hidden="true" /> no access
                </span>
              )}
            </header>
            <Reasons name={name} project={project} />
            {project.grants.every(({ group }) => group !== undefined) &&
              can(me, 'addProjectAccess', { project: project.id }) && (
                <Link
                  className={s.grant}
                  to="/projects/$projectId/settings/access"
                  params={{ projectId: project.id }}
                  search={{ edit: 'new', user: String(user) }}
                >
                  Grant a role… <span className="sr">in {project.name}</span>
                </Link>
              )}
          </li>
        ))}
      </ul>
    </RailSection>
  );
}

function Reasons({ name, project }: { name: string; project: Project }) {
  if (!project.readable) return <p className={s.why}>Private, and {name} is not a member</p>;
  return (
    <>
      {project.grants.map(({ role, group, grantedAt }) => (
        <p key={`${group?.id} ${role.id}`}>
          {group ? <Users size={13} aria-hidden="true" /> : <UserIcon size={13} aria-hidden="true" />}
          <span>
            {group ? (
              <>
                Group <Link to={`/admin/groups/${group.id}`}>{group.name}</Link>
              </>
            ) : (
              name
            )}{' '}
            is {role.name}{' '}
            <small>
              <Time at={grantedAt} format="date" />
            </small>
          </span>
        </p>
      ))}
      {project.rootRoles.map(({ role, group }) => (
        <p key={`${group?.id} ${role.id}`}>
          <Shield size={13} aria-hidden="true" />
          <span>
            Root role <b>{role.name}</b>
            {group && ` of group ${group.name}`}
          </span>
        </p>
      ))}
      {project.roles.length === 0 && (
        <p>
          <Eye size={13} aria-hidden="true" />
          <span>Everyone can read a project that is not private</span>
        </p>
      )}
    </>
  );
}
