import '@mantine/spotlight/styles.layer.css';
import './Palette.css';
import {
  createSpotlight,
  Spotlight,
  type SpotlightActionData,
  type SpotlightActionGroupData,
} from '@mantine/spotlight';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useNavigate, useParams } from '@tanstack/react-router';
import {
  Activity,
  AppWindow,
  Blocks,
  Bookmark,
  Flag,
  FlaskConical,
  FolderOpen,
  Gauge,
  KeyRound,
  Layers,
  type LucideIcon,
  Search,
  Send,
  Shapes,
  Shield,
  SlidersHorizontal,
  User,
  Users,
  Zap,
} from 'lucide-react';
import { type KeyboardEvent, useEffect, useMemo } from 'react';
import { entriesOf } from '../administration/navigation.ts';
import { can } from '../api/can.ts';
import type { Schemas } from '../api/client.ts';
import { useMe } from '../api/me.ts';
import { usePageActions } from '../ui/actions.ts';
import { parseSearch } from '../ui/search.ts';
import { counted } from '../ui/words.ts';
import { usePaletteThings } from './palette-things.ts';
import { flagsQuery, projectsQuery, viewsQuery } from './queries.ts';
import { readRecent, rememberRecent } from './recent.ts';

const [store, spotlight] = createSpotlight();
/** Address, name, icon, keys, and what else people call the page. */
const PAGES: readonly [string, string, LucideIcon, string, string][] = [
  ['/flags', 'Flags', Flag, 'G then F', 'toggles, features, stale, archived'],
  ['/events', 'Events', Activity, 'G then E', 'audit log, history, changes'],
  ['/integrations', 'Integrations', Blocks, 'G then I', 'webhooks, Slack, Teams, Datadog, addons'],
  ['/deliveries', 'Deliveries', Send, '', 'webhooks, failed, redeliver'],
  ['/playground', 'Playground', FlaskConical, '', 'evaluate, test, try'],
  ['/applications', 'Applications', AppWindow, '', 'SDKs, instances, clients'],
  ['/unknown-flags', 'Unknown flags', AppWindow, '', 'typos, missing'],
  ['/projects', 'Projects', FolderOpen, 'G then P', 'archived, create'],
  ['/profile', 'Profile', User, '', 'password, sessions, personal tokens, theme, time zone, preferences'],
];

/** The pages of a project beyond its flags. */
const PARTS: readonly [string, string, LucideIcon, string?][] = [
  ['/health', 'Health', Gauge, 'technical debt, stale'],
  ['/events', 'Events', Activity],
  ['/applications', 'Applications', AppWindow],
  ['/applications/usage', 'Flag usage', AppWindow],
  ['/segments', 'Segments', Shapes],
  ['/settings', 'Settings', SlidersHorizontal, 'private, mode, name'],
  ['/settings/environments', 'Environments', Layers],
  ['/settings/access', 'Access', Users, 'members, roles, permissions'],
  ['/settings/tokens', 'API tokens', KeyRound, 'keys, secrets'],
  ['/settings/naming', 'Rules and limits', SlidersHorizontal, 'pattern, reason for changes'],
  ['/settings/danger', 'Danger zone', SlidersHorizontal, 'archive, delete project'],
];

/** The command palette: flags, actions of the page, pages, people and other things, and projects. Recent choices come first. */
export function Palette({
  typed,
  onType,
  onReady,
  onClose,
}: {
  typed: string;
  onType(text: string): void;
  /** The field has the focus. */
  onReady(): void;
  onClose(): void;
}) {
  const navigate = useNavigate();
  const { projectId } = useParams({ strict: false });
  const { data: flags = [] } = useQuery({ ...flagsQuery(typed.trim()), placeholderData: keepPreviousData });
  const { data: projects = [] } = useQuery(projectsQuery);
  const { data: views = [] } = useQuery(viewsQuery);
  const me = useMe();
  const pageActions = usePageActions();
  const things = usePaletteThings(typed.trim());
  useEffect(() => spotlight.open(), []);

  const groups = useMemo((): SpotlightActionGroupData[] => {
    const go = (
      to: string,
      label: string,
      Icon: LucideIcon,
      description?: string,
      keywords?: string,
    ): SpotlightActionData => ({
      id: to,
      label,
      description: description || undefined,
      keywords,
      leftSection: <Icon size={16} />,
      onClick: () => {
        rememberRecent({ to, label });
        void navigate({ href: to });
      },
    });
    const words = typed.trim().toLowerCase();
    const matches = ({ label = '', keywords = '' }: { label?: string; keywords?: string | string[] }) =>
      `${label}\n${keywords}`.toLowerCase().includes(words);
    const recent = words === '' ? readRecent().map(({ to, label }) => go(to, label, Search)) : [];
    // The pages of the project that is open come first.
    const isCurrent = ({ id }: SpotlightActionData) =>
      projectId !== undefined && `${id}/`.startsWith(`/projects/${encodeURIComponent(projectId)}/`);
    const isRecent = ({ id }: SpotlightActionData) => recent.some(one => one.id === id);
    return [
      { group: 'Recent', actions: recent },
      {
        group: 'Flags',
        actions:
          words.length < 2 ? [] : flags.map(flag => go(addressOf(flag), flag.name, Flag, describe(flag))),
      },
      {
        group: 'Actions',
        actions: pageActions
          .filter(matches)
          .map(({ label, run }) => ({ id: label, label, leftSection: <Zap size={16} />, onClick: run })),
      },
      {
        group: 'Go to',
        actions: [
          ...PAGES.filter(([to]) => to !== '/deliveries' || can(me, 'getDeliveries')).map(
            ([to, label, Icon, keys, words]) => go(to, label, Icon, keys, words),
          ),
          ...entriesOf(me).map(({ label, path, words }) => go(path, label, Shield, 'Administration', words)),
        ]
          .filter(matches)
          .filter(one => !isRecent(one)),
      },
      {
        group: 'People and other things',
        actions: things.map(({ to, label, kind, icon }) => go(to, label, icon, kind)),
      },
      {
        group: 'Saved views',
        actions: views
          .filter(({ name }) => matches({ label: name }))
          .map(({ id, name, page, query }) => ({
            id: `view-${id}`,
            label: name,
            description: page,
            leftSection: <Bookmark size={16} />,
            onClick: () => void navigate({ to: page, search: parseSearch(query) }),
          })),
      },
      {
        group: 'Projects',
        actions: projects
          .flatMap(({ id, name }) => {
            const base = `/projects/${encodeURIComponent(id)}`;
            return [
              go(base, name, FolderOpen),
              ...PARTS.map(([path, part, Icon, words]) =>
                go(base + path, `${part} of ${name}`, Icon, undefined, words),
              ),
            ];
          })
          .toSorted((one, other) => Number(isCurrent(other)) - Number(isCurrent(one)))
          .filter(matches)
          .filter(one => !isRecent(one))
          .slice(0, 10),
      },
    ].filter(({ actions }) => actions.length > 0);
  }, [typed, flags, things, projects, projectId, views, me, pageActions, navigate]);

  return (
    <Spotlight
      store={store}
      actions={groups}
      query={typed}
      onQueryChange={onType}
      onSpotlightClose={onClose}
      filter={(_query, actions) => actions}
      shortcut={null}
      lockScroll={false}
      transitionProps={{ duration: 0 }}
      overlayProps={{ blur: 0, backgroundOpacity: 0.35 }}
      size={600}
      scrollable
      maxHeight={440}
      nothingFound={typed.length === 1 ? 'Type one more character to search flags' : 'Nothing matches'}
      attributes={{ content: { 'aria-label': 'Search or run' } }}
      searchProps={{
        leftSection: <Search size={16} />,
        placeholder: 'Flags, pages, people, actions…',
        'aria-label': 'Search or run',
        onFocus: onReady,
        onKeyDown: runFirst,
      }}
    />
  );
}

/** Enter runs the first entry if the arrows chose no other one. */
function runFirst(event: KeyboardEvent): void {
  if (event.key !== 'Enter' || document.querySelector('[data-action][data-selected]')) return;
  document.querySelector<HTMLElement>('[data-action]')?.click();
}

type Found = Schemas['FoundFeature'];

const addressOf = ({ project, name }: Found): string =>
  `/projects/${encodeURIComponent(project)}/features/${encodeURIComponent(name)}`;

const describe = ({ project, environments }: Found): string =>
  `${project} · enabled in ${environments.filter(one => one.enabled).length} of ${counted(environments.length, 'environment')}`;
