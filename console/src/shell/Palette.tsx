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
import { flagsQuery, projectsQuery, viewsQuery } from './queries.ts';
import { readRecent, rememberRecent } from './recent.ts';

const [store, spotlight] = createSpotlight();
const PAGES: readonly [string, string, LucideIcon, string?][] = [
  ['/flags', 'Flags', Flag, 'G then F'],
  ['/events', 'Events', Activity, 'G then E'],
  ['/integrations', 'Integrations', Blocks, 'G then I'],
  ['/deliveries', 'Deliveries', Send],
  ['/playground', 'Playground', FlaskConical],
  ['/applications', 'Applications', AppWindow],
  ['/unknown-flags', 'Unknown flags', AppWindow],
  ['/projects', 'Projects', FolderOpen, 'G then P'],
  ['/profile', 'Profile', User],
];

/** The pages of a project beyond its flags. */
const PARTS: readonly [string, string, LucideIcon][] = [
  ['/health', 'Health', Gauge],
  ['/events', 'Events', Activity],
  ['/applications', 'Applications', AppWindow],
  ['/applications/usage', 'Flag usage', AppWindow],
  ['/segments', 'Segments', Shapes],
  ['/settings', 'Settings', SlidersHorizontal],
  ['/settings/environments', 'Environments', Layers],
  ['/settings/access', 'Access', Users],
  ['/settings/tokens', 'API tokens', KeyRound],
  ['/settings/naming', 'Naming and limits', SlidersHorizontal],
  ['/settings/danger', 'Danger zone', SlidersHorizontal],
];

/** The command palette: flags, actions of the page, pages and projects. Recent choices come first. */
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
  useEffect(() => spotlight.open(), []);

  const groups = useMemo((): SpotlightActionGroupData[] => {
    const go = (to: string, label: string, Icon: LucideIcon, description?: string): SpotlightActionData => ({
      id: to,
      label,
      description,
      leftSection: <Icon size={16} />,
      onClick: () => {
        rememberRecent({ to, label });
        void navigate({ to });
      },
    });
    const words = typed.trim().toLowerCase();
    const matches = ({ label = '' }: { label?: string }) => label.toLowerCase().includes(words);
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
            ([to, label, Icon, keys]) => go(to, label, Icon, keys),
          ),
          ...entriesOf(me).map(({ label, path }) => go(path, label, Shield, 'Administration')),
        ]
          .filter(matches)
          .filter(one => !isRecent(one)),
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
              ...PARTS.map(([path, part, Icon]) => go(base + path, `${part} of ${name}`, Icon)),
            ];
          })
          .toSorted((one, other) => Number(isCurrent(other)) - Number(isCurrent(one)))
          .filter(matches)
          .filter(one => !isRecent(one))
          .slice(0, 10),
      },
    ].filter(({ actions }) => actions.length > 0);
  }, [typed, flags, projects, projectId, views, me, pageActions, navigate]);

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
        placeholder: 'Flags, pages, actions…',
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
