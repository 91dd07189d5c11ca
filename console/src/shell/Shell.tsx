import { ActionIcon, Menu, Tooltip, useComputedColorScheme, useMantineColorScheme } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link, Outlet, useParams } from '@tanstack/react-router';
import {
  Activity,
  Blocks,
  Flag,
  FlagTriangleRight,
  FolderOpen,
  Gauge,
  type LucideIcon,
  Moon,
  Sun,
} from 'lucide-react';
import type { ReactNode } from 'react';
import { useMe } from '../api/me.ts';
import { Mark } from './Mark.tsx';
import { logOut, profileQuery } from './queries.ts';
import s from './Shell.module.css';

function Item({
  to,
  icon: Icon,
  exact,
  children,
}: {
  to: string;
  icon: LucideIcon;
  exact?: boolean;
  children: ReactNode;
}) {
  return (
    <Link to={to} className={s.item} activeOptions={{ exact: exact ?? false, includeSearch: false }}>
      <Icon size={15} strokeWidth={1.8} aria-hidden="true" />
      <span>{children}</span>
    </Link>
  );
}

/** The sidebar, and the page in its main region. */
export function Shell() {
  return (
    <div className={s.shell}>
      <a href="#main" className={s.skip}>
        Skip to content
      </a>
      <nav className={s.side} aria-label="Main">
        <Link to="/" className={s.brand}>
          <Mark className={s.mark} />
          <strong>Halyard</strong>
        </Link>
        <ProjectItems />
        <h2>All projects</h2>
        <div className={s.list}>
          <Item to="/flags" icon={FlagTriangleRight}>
            Flags
          </Item>
          <Item to="/events" icon={Activity}>
            Events
          </Item>
          <Item to="/integrations" icon={Blocks}>
            Integrations
          </Item>
          <Item to="/projects" icon={FolderOpen} exact>
            Projects
          </Item>
        </div>
        <Foot />
      </nav>
      <main id="main" className={s.main} tabIndex={-1}>
        <Outlet />
      </main>
    </div>
  );
}

/** The pages of the project in the address. */
function ProjectItems() {
  const { projectId } = useParams({ strict: false });
  if (projectId === undefined) return null;
  const base = `/projects/${encodeURIComponent(projectId)}`;
  return (
    <div className={s.list}>
      <Item to={base} icon={Flag} exact>
        Flags
      </Item>
      <Item to={`${base}/health`} icon={Gauge}>
        Health
      </Item>
      <Item to={`${base}/events`} icon={Activity}>
        Events
      </Item>
    </div>
  );
}

function Foot() {
  const { user } = useMe();
  const { data: profile } = useQuery(profileQuery);
  const { setColorScheme } = useMantineColorScheme({ keepTransitions: true });
  const scheme = useComputedColorScheme('light', { getInitialValueInEffect: false });
  const other = scheme === 'dark' ? 'light' : 'dark';
  return (
    <div className={s.foot}>
      <Menu position="top-start">
        <Menu.Target>
          <button type="button" className={s.me}>
            <i aria-hidden="true">{user.name.slice(0, 2).toUpperCase()}</i>
            <span>
              <b>{user.name}</b>
              <small>{profile?.rootRole}</small>
            </span>
          </button>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item component={Link} to="/profile">
            Profile
          </Menu.Item>
          <Menu.Item onClick={() => void logOut()}>Log out</Menu.Item>
        </Menu.Dropdown>
      </Menu>
      <Tooltip label={`Use the ${other} color scheme`}>
        <ActionIcon aria-label={`Use the ${other} color scheme`} onClick={() => setColorScheme(other)}>
          {scheme === 'dark' ? <Sun size={16} /> : <Moon size={16} />}
        </ActionIcon>
      </Tooltip>
    </div>
  );
}
