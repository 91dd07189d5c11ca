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
import { listAdminEntries } from '../administration/navigation.ts';
import { can } from '../api/can.ts';
import type { Schemas } from '../api/client.ts';
import { useMe } from '../api/me.ts';
import { usePageActions } from '../ui/actions.ts';
import { parseSearch } from '../ui/search.ts';
import { formatCount } from '../ui/words.ts';
import { flagsQuery, projectsQuery, viewsQuery } from './queries.ts';
import { readRecentChoices, rememberChoice } from './recent.ts';
import { usePaletteResults } from './usePaletteResults.ts';

const [store, spotlight] = createSpotlight();
/** The URL, name, icon, shortcut and keywords of each page. */
const PAGES: readonly [string, string, LucideIcon, string, string][] = [
  ['/flags', 'Flags', Flag, 'G then F', 'toggles, features, stale, archived'],
  ['/events', 'Events', Activity, 'G then E', 'audit log, history, changes, revert, undo'],
  [
    '/integrations',
    'Integrations',
    Blocks,
    'G then I',
    'webhooks, Slack, Teams, Datadog, addons, rotate signing secret',
  ],
  ['/deliveries', 'Deliveries', Send, '', 'webhooks, failed, redeliver, retry, replay'],
  ['/playground', 'Playground', FlaskConical, '', 'evaluate, test, try'],
  ['/applications', 'Applications', AppWindow, '', 'SDKs, instances, clients'],
  ['/unknown-flags', 'Unknown flags', AppWindow, '', 'typos, missing'],
  ['/projects', 'Projects', FolderOpen, 'G then P', 'archived, create'],
  ['/profile', 'Profile', User, '', 'password, sessions, personal tokens, theme, time zone, preferences'],
];

/** A project's pages other than its flags. */
const PROJECT_PAGES: readonly [string, string, LucideIcon, string?][] = [
  ['/health', 'Health', Gauge, 'technical debt, stale'],
  ['/events', 'Events', Activity],
  ['/applications', 'Applications', AppWindow],
  ['/applications/usage', 'Flag usage', AppWindow],
  ['/segments', 'Segments', Shapes],
  ['/settings', 'Settings', SlidersHorizontal, 'private, mode, rename'],
  ['/settings/environments', 'Environments', Layers],
  ['/settings/access', 'Access', Users, 'add members, grant roles, permissions'],
  ['/settings/tokens', 'API tokens', KeyRound, 'keys, rotate secrets'],
  [
    '/settings/naming',
    'Rules and limits',
    SlidersHorizontal,
    'naming pattern, require a reason for changes, flag limit',
  ],
  ['/settings/danger', 'Danger zone', SlidersHorizontal, 'archive, delete project'],
];

/** The command palette, which finds flags, page actions, pages, people, projects and more. Recent choices come first. */
export function Palette({
  typedText,
  onType,
  onReady,
  onClose,
}: {
  typedText: string;
  onType(text: string): void;
  /** Called when the search field has the focus. */
  onReady(): void;
  onClose(): void;
}) {
  const navigate = useNavigate();
  const { projectId } = useParams({ strict: false });
  const { data: flags = [] } = useQuery({
    ...flagsQuery(typedText.trim()),
    placeholderData: keepPreviousData,
  });
  const { data: projects = [] } = useQuery(projectsQuery);
  const { data: views = [] } = useQuery(viewsQuery);
  const me = useMe();
  const pageActions = usePageActions();
  const results = usePaletteResults(typedText.trim());
  useEffect(() => spotlight.open(), []);

  const groups = useMemo((): SpotlightActionGroupData[] => {
    const buildAction = (
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
        rememberChoice({ to, label });
        void navigate({ href: to });
      },
    });
    const searchText = typedText.trim().toLowerCase();
    const words = searchText.split(/\s+/);
    const isMatch = ({ label = '', keywords = '' }: { label?: string; keywords?: string | string[] }) => {
      const text = `${label}\n${keywords}`.toLowerCase();
      return words.every(word => text.includes(word));
    };
    const recentActions =
      searchText === '' ? readRecentChoices().map(({ to, label }) => buildAction(to, label, Search)) : [];
    // The current project's pages come first.
    const isCurrent = ({ id }: SpotlightActionData) =>
      projectId !== undefined && `${id}/`.startsWith(`/projects/${encodeURIComponent(projectId)}/`);
    const isRecent = ({ id }: SpotlightActionData) => recentActions.some(action => action.id === id);
    return [
      { group: 'Recent', actions: recentActions },
      {
        group: 'Flags',
        actions:
          searchText.length < 2
            ? []
            : flags.map(flag => buildAction(getFlagPath(flag), flag.name, Flag, describeFlag(flag))),
      },
      {
        group: 'Actions',
        actions: pageActions
          .filter(isMatch)
          .map(({ label, run }) => ({ id: label, label, leftSection: <Zap size={16} />, onClick: run })),
      },
      {
        group: 'Go to',
        actions: [
          ...PAGES.filter(([to]) => to !== '/deliveries' || can(me, 'getDeliveries')).map(
            ([to, label, Icon, keys, keywords]) => buildAction(to, label, Icon, keys, keywords),
          ),
          ...listAdminEntries(me).map(({ label, path, keywords }) =>
            buildAction(path, label, Shield, 'Administration', keywords),
          ),
        ]
          .filter(isMatch)
          .filter(action => !isRecent(action)),
      },
      {
        group: 'People and more',
        actions: results.map(({ to, label, kind, icon }) => buildAction(to, label, icon, kind)),
      },
      {
        group: 'Saved views',
        actions: views
          .filter(({ name }) => isMatch({ label: name }))
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
              buildAction(base, name, FolderOpen),
              ...PROJECT_PAGES.map(([path, part, Icon, keywords]) =>
                buildAction(base + path, `${name}: ${part}`, Icon, undefined, keywords),
              ),
            ];
          })
          .toSorted((a, b) => Number(isCurrent(b)) - Number(isCurrent(a)))
          .filter(isMatch)
          .filter(action => !isRecent(action))
          .slice(0, 10),
      },
    ].filter(({ actions }) => actions.length > 0);
  }, [typedText, flags, results, projects, projectId, views, me, pageActions, navigate]);

  return (
    <Spotlight
      store={store}
      actions={groups}
      query={typedText}
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
      nothingFound={typedText.length === 1 ? 'Type one more character to search flags' : 'Nothing matches'}
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

/** Enter runs the first entry, unless the user has chosen a different entry with the arrow keys. */
function runFirst(event: KeyboardEvent): void {
  if (event.key !== 'Enter' || document.querySelector('[data-action][data-selected]')) return;
  document.querySelector<HTMLElement>('[data-action]')?.click();
}

type FoundFlag = Schemas['FoundFeature'];

const getFlagPath = ({ project, name }: FoundFlag): string =>
  `/projects/${encodeURIComponent(project)}/features/${encodeURIComponent(name)}`;

const describeFlag = ({ project, environments }: FoundFlag): string =>
  `${project} · enabled in ${environments.filter(environment => environment.enabled).length} of ${formatCount(environments.length, 'environment')}`;
