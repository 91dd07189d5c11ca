import { Button } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { Eye, Lock, Shield, User as UserIcon, Users } from 'lucide-react';
import { useState } from 'react';
import { GrantRole } from '../projects/settings/GrantRole.tsx';
import { escapeText } from '../ui/caller-text.ts';
import { RailSection } from '../ui/RailSection.tsx';
import { State } from '../ui/State.tsx';
import { Time } from '../ui/Time.tsx';
import { formatCount } from '../ui/words.ts';
import s from './AccessList.module.css';
import type { Access } from './queries.ts';

type Project = Access['projects'][number];

/** A button shows the remaining projects, so that a long list does not push down the content below it. */
const MAX_SHOWN = 8;

/**
 * Lists the projects where the user or one of their groups has a role, with a line for each reason. The other projects are collapsed,
 * because an instance can have hundreds of them. The field below the list starts granting a role in a project.
 */
export function AccessList({ user, name, access }: { user: number; name: string; access: Access }) {
  const [isExpanded, setExpanded] = useState(false);
  const readableCount = access.projects.filter(project => project.readable).length;
  const granted = access.projects.filter(({ grants }) => grants.length > 0);
  const others = access.projects.filter(({ grants }) => grants.length === 0);
  const shown = isExpanded ? granted : granted.slice(0, MAX_SHOWN);
  return (
    <RailSection
      title="Access"
      aside={
        <>
          Can read {readableCount} of {formatCount(access.projects.length, 'project')} ·{' '}
          <Link to="/admin/explain-access" search={{ user }}>
            Explain access
          </Link>
        </>
      }
    >
      {granted.length > 0 && (
        <ul className={s.access} aria-label="Projects">
          {shown.map(project => (
            <ProjectAccess key={project.id} name={name} project={project} />
          ))}
        </ul>
      )}
      {shown.length < granted.length && (
        <Button size="compact-xs" onClick={() => setExpanded(true)}>
          Show all {formatCount(granted.length, 'project')}
        </Button>
      )}
      {others.length > 0 && (
        <details className={s.others}>
          <summary>
            {granted.length > 0
              ? formatCount(others.length, 'other project')
              : formatCount(others.length, 'project')}{' '}
            <span className="muted">where {name} has no project role</span>
          </summary>
          <ul className={s.access} aria-label="Other projects">
            {others.map(project => (
              <ProjectAccess key={project.id} name={name} project={project} />
            ))}
          </ul>
        </details>
      )}
      <GrantRole member={{ kind: 'user', id: user }} projects={access.projects} />
    </RailSection>
  );
}

function ProjectAccess({ name, project }: { name: string; project: Project }) {
  return (
    <li>
      <header className={s.head}>
        <Link to="/projects/$projectId/settings/access" params={{ projectId: project.id }}>
          {project.name}
        </Link>
        {project.readable ? (
          <State tone="off">{project.roles.map(role => role.name).join(' + ') || 'Can read'}</State>
        ) : (
          <span className={s.noAccess}>
            <Lock size={13} aria-hidden="true" /> No access
          </span>
        )}
      </header>
      <AccessReasons name={name} project={project} />
    </li>
  );
}

function AccessReasons({ name, project }: { name: string; project: Project }) {
  if (!project.readable) return <p className={s.reason}>Private, and {name} is not a member</p>;
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
            has the role {role.name}{' '}
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
            <b>{role.name}</b> on this instance
            {group && `, through group ${escapeText(group.name)}`}
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
