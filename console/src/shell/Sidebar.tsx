import { ActionIcon, Kbd } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import {
  Activity,
  AppWindow,
  Blocks,
  Flag,
  FlagTriangleRight,
  FlaskConical,
  FolderOpen,
  Gauge,
  HelpCircle,
  type LucideIcon,
  Menu,
  Search,
  Send,
  Shield,
  SlidersHorizontal,
  Star,
} from 'lucide-react';
import { type ReactNode, useEffect } from 'react';
import { listAdminEntries } from '../administration/navigation.ts';
import { useMe, useMissingPermissions } from '../api/me.ts';
import { readLastProject, rememberProject } from '../ui/preferences.ts';
import { formatKeys } from '../ui/shortcuts.ts';
import { formatNumber } from '../ui/words.ts';
import { ColorScheme } from './ColorScheme.tsx';
import { Mark } from './Mark.tsx';
import { Me } from './Me.tsx';
import { type Project, ProjectMenu } from './ProjectMenu.tsx';
import { favoritesQuery, integrationsQuery, projectsQuery } from './queries.ts';
import s from './Shell.module.css';

type ItemProps = {
  to: string;
  icon: LucideIcon;
  exact?: boolean;
  note?: ReactNode;
  bad?: boolean;
  children: ReactNode;
};

function Item({ to, icon: Icon, exact = false, note, bad, children }: ItemProps) {
  return (
    <Link to={to} className={s.item} activeOptions={{ exact, includeSearch: false }}>
      <Icon size={15} strokeWidth={1.8} aria-hidden="true" />
      <span>{children}</span>
      {note !== undefined && <em data-bad={bad || undefined}>{note}</em>}
    </Link>
  );
}

type SidebarProps = {
  isOpen: boolean;
  onSearch(): void;
  onHelp(): void;
  onToggle(): void;
  onNavigate(): void;
};

export function Sidebar({ isOpen, onSearch, onHelp, onToggle, onNavigate }: SidebarProps) {
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: pressing Enter on a link triggers a click
    <nav
      aria-label="Main"
      className={s.side}
      onClick={event => event.target instanceof Element && event.target.closest('a') && onNavigate()}
    >
      <div className={s.brand}>
        <Link to="/">
          <Mark className={s.mark} />
          <strong>Halyard</strong>
        </Link>
        <ActionIcon className={s.burger} aria-label="Navigation" aria-expanded={isOpen} onClick={onToggle}>
          <Menu size={18} />
        </ActionIcon>
      </div>
      <div className={s.nav}>
        <button type="button" className={s.search} onClick={onSearch}>
          <Search size={14} aria-hidden="true" />
          <span>Search or run…</span>
          <Kbd>{formatKeys('mod+k')}</Kbd>
        </button>
        <ProjectItems />
        <InstanceItems />
        <Favorites />
      </div>
      <div className={s.foot}>
        <Me />
        {/* A title is used, because Tooltip would become part of the first load. */}
        <ActionIcon aria-label="Keyboard shortcuts" title="Keyboard shortcuts  ?" onClick={onHelp}>
          <HelpCircle size={16} />
        </ActionIcon>
        <ColorScheme />
      </div>
    </nav>
  );
}

/** The pages of the project in the URL or, without one, of the project that was open last, a favorite, or the only project. */
function ProjectItems() {
  const { projectId } = useParams({ strict: false });
  const { data: projects } = useQuery(projectsQuery);
  const project =
    projectId === undefined ? findDefaultProject(projects) : projects?.find(({ id }) => id === projectId);
  const shownProjectId = projectId !== undefined && project ? project.id : undefined;
  useEffect(() => {
    if (shownProjectId !== undefined) rememberProject(shownProjectId);
  }, [shownProjectId]);
  if (!projects?.length) return null;
  if (!project) return <ProjectMenu projects={projects} />;
  const base = `/projects/${encodeURIComponent(project.id)}`;
  return (
    <>
      <ProjectMenu project={project} projects={projects} />
      <div className={s.list}>
        <Item to={base} icon={Flag} exact note={formatNumber(project.featureCount)}>
          Flags
        </Item>
        <Item to={`${base}/health`} icon={Gauge} note={project.featureCount > 0 ? project.health : undefined}>
          Health
        </Item>
        <Item to={`${base}/events`} icon={Activity}>
          Events
        </Item>
        <Item to={`${base}/settings`} icon={SlidersHorizontal}>
          Settings
        </Item>
      </div>
    </>
  );
}

const findDefaultProject = (projects: readonly Project[] = []): Project | undefined =>
  projects.find(({ id }) => id === readLastProject()) ??
  projects.find(({ favorite }) => favorite) ??
  (projects.length === 1 ? projects[0] : undefined);

function InstanceItems() {
  const hasAdministration = listAdminEntries(useMe()).length > 0;
  const maySeeDeliveries = useMissingPermissions('getDeliveries').length === 0;
  // Loaded only for users who may see deliveries, because others could not find out what failed.
  const { data: integrations = [] } = useQuery({ ...integrationsQuery, enabled: maySeeDeliveries });
  const failingIntegrations = maySeeDeliveries
    ? integrations.filter(({ enabled, failingSince }) => enabled && failingSince !== null).length
    : 0;
  return (
    <>
      <h2>All projects</h2>
      <div className={s.list}>
        <Item to="/flags" icon={FlagTriangleRight}>
          Flags
        </Item>
        <Item to="/playground" icon={FlaskConical}>
          Playground
        </Item>
        <Item to="/applications" icon={AppWindow}>
          Applications
        </Item>
        <Item to="/events" icon={Activity}>
          Events
        </Item>
        <Item
          to="/integrations"
          icon={Blocks}
          note={failingIntegrations > 0 ? `${failingIntegrations} failing` : undefined}
          bad
        >
          Integrations
        </Item>
        {maySeeDeliveries && (
          <Item to="/deliveries" icon={Send}>
            Deliveries
          </Item>
        )}
        <Item to="/projects" icon={FolderOpen} exact>
          Projects
        </Item>
        {hasAdministration && (
          <Item to="/admin" icon={Shield}>
            Administration
          </Item>
        )}
      </div>
    </>
  );
}

function Favorites() {
  const { data: favorites = [] } = useQuery(favoritesQuery);
  if (favorites.length === 0) return null;
  return (
    <>
      <h2>Favorites</h2>
      <div className={s.list}>
        {favorites.map(({ name, project }) => (
          <Link
            key={name}
            className={s.item}
            to="/projects/$projectId/features/$featureName"
            params={{ projectId: project, featureName: name }}
          >
            <Star size={14} fill="currentColor" className={s.favorite} aria-hidden="true" />
            <span className="mono">{name}</span>
          </Link>
        ))}
      </div>
    </>
  );
}
