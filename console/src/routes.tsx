import type { QueryClient } from '@tanstack/react-query';
import {
  createRootRouteWithContext,
  createRoute,
  createRouter,
  lazyRouteComponent,
  redirect,
} from '@tanstack/react-router';
import { listAdminEntries } from './administration/navigation.ts';
import { loadChunk } from './api/chunks.ts';
import { RequestError } from './api/errors.ts';
import { meQuery } from './api/me.ts';
import { startLiveUpdates } from './live/live.ts';
import { getPathAfterLogin } from './login/path.ts';
import { FailedPage, FailedShell, UnknownPage } from './shell/FailedPage.tsx';
import { Shell } from './shell/Shell.tsx';
import { parseSearch, type Search, stringifySearch } from './ui/search.ts';

const root = createRootRouteWithContext<{ queryClient: QueryClient }>()({
  validateSearch: (search: Record<string, unknown>) => search as Search, // parseSearch creates only strings.
});

/** Pages with the sidebar. They require a session. */
const shell = createRoute({
  getParentRoute: () => root,
  id: 'shell',
  component: Shell,
  errorComponent: FailedShell,
  beforeLoad: async ({ context, location }) => {
    // The stream opens before the first query, so that no change is missed.
    startLiveUpdates(context.queryClient);
    try {
      await context.queryClient.ensureQueryData(meQuery);
    } catch (error) {
      if (!(error instanceof RequestError) || error.status !== 401) throw error;
      const target = location.href === '/' ? undefined : location.href;
      throw redirect({ to: '/login', search: { to: target } });
    }
  },
});

// Each page is a lazy chunk, whose module exports the component by name.
const component = <Module extends Record<string, unknown>>(
  load: () => Promise<Module>,
  name: keyof Module & string,
) => lazyRouteComponent(() => loadChunk(load), name);

const inShell = <Path extends string, Module extends Record<string, unknown>>(
  path: Path,
  load: () => Promise<Module>,
  name: keyof Module & string,
) => createRoute({ getParentRoute: () => shell, path, component: component(load, name) });

/** Administration pages, with their navigation. */
const administration = createRoute({
  getParentRoute: () => shell,
  id: 'administration',
  component: component(() => import('./administration/Frame.tsx'), 'AdministrationFrame'),
});

const inAdministration = <Path extends string, Module extends Record<string, unknown>>(
  path: Path,
  load: () => Promise<Module>,
  name: keyof Module & string,
) => createRoute({ getParentRoute: () => administration, path, component: component(load, name) });

const outsideShell = <Path extends string, Module extends Record<string, unknown>>(
  path: Path,
  load: () => Promise<Module>,
  name: keyof Module & string,
  beforeLoad: (options: BeforeLoad) => Promise<void> = async () => {},
) => createRoute({ getParentRoute: () => root, path, component: component(load, name), beforeLoad });

type BeforeLoad = { context: { queryClient: QueryClient }; search: Search };

/** A user with a session needs no login form, unless the page explains why a login failed. */
async function skipLogin({ context, search }: BeforeLoad): Promise<void> {
  if (search.failed !== undefined) return;
  const me = await context.queryClient.ensureQueryData(meQuery).catch(() => undefined);
  if (me) throw redirect({ href: getPathAfterLogin(search.to) });
}

/** The administration opens with the first page that the user may open. */
async function openFirstEntry({ context }: { context: { queryClient: QueryClient } }): Promise<void> {
  const [firstEntry] = listAdminEntries(await context.queryClient.ensureQueryData(meQuery));
  if (firstEntry) throw redirect({ to: firstEntry.path, replace: true });
}

const apiTokens = () => import('./api-tokens/pages.ts');
const newApiToken = () => import('./api-tokens/new.tsx');
const environments = () => import('./environments/pages.ts');
const segments = () => import('./segments/pages.ts');
const contextFields = () => import('./context-fields/pages.ts');
const strategyTypes = () => import('./strategy-types/pages.ts');
const featureTypes = () => import('./feature-types/pages.ts');
const tags = () => import('./tags/pages.ts');
const home = () => import('./home/page.tsx');
const flags = () => import('./feature-search/page.tsx');
const projects = () => import('./projects/pages.ts');
const projectSettings = () => import('./projects/settings/pages.ts');
const projectTokens = () => import('./projects/settings/Tokens.tsx');
const newProjectToken = () => import('./projects/settings/NewToken.tsx');
const health = () => import('./health/page.tsx');
const feature = () => import('./features/page.tsx');
const featureEvents = () => import('./features/events.tsx');
const featureTabs = () => import('./features/tabs.ts');
const clone = () => import('./clone/page.tsx');
const events = () => import('./events/page.tsx');
const integrations = () => import('./integrations/page.tsx');
const integration = () => import('./integrations/settings.tsx');
const deliveries = () => import('./deliveries/page.tsx');
const applications = () => import('./applications/pages.ts');
const playground = () => import('./playground/page.tsx');
const profile = () => import('./profile/page.tsx');
const groups = () => import('./groups/pages.ts');
const invitations = () => import('./invitations/list.tsx');
const roles = () => import('./roles/pages.ts');
const serviceAccounts = () => import('./service-accounts/pages.ts');
const users = () => import('./users/pages.ts');
const signIn = () => import('./sign-in/pages.ts');
const transfer = () => import('./transfer/pages.ts');
const instance = () => import('./instance/page.tsx');
const explainAccess = () => import('./explain-access/page.tsx');
const login = () => import('./login/pages.ts');

const routes = root.addChildren([
  outsideShell('/login', login, 'LoginPage', skipLogin),
  outsideShell('/logged-in', login, 'LoggedInPage'),
  outsideShell('/new-user', login, 'NewUserPage'),
  outsideShell('/reset-password', login, 'ResetPasswordPage'),
  outsideShell('/invite/$token', login, 'SignupPage'),
  shell.addChildren([
    inShell('/', home, 'HomePage'),
    inShell('/flags', flags, 'FlagsPage'),
    inShell('/projects', projects, 'ProjectsPage'),
    inShell('/projects/$projectId', flags, 'ProjectFlagsPage'),
    inShell('/projects/$projectId/health', health, 'HealthPage'),
    inShell('/projects/$projectId/events', events, 'ProjectEventsPage'),
    inShell('/projects/$projectId/applications', applications, 'ProjectApplicationsPage'),
    inShell('/projects/$projectId/applications/usage', applications, 'ProjectUsagePage'),
    inShell('/projects/$projectId/segments', projects, 'ProjectSegmentsPage'),
    inShell('/projects/$projectId/settings', projectSettings, 'GeneralPage'),
    inShell('/projects/$projectId/settings/environments', projectSettings, 'EnvironmentsPage'),
    inShell('/projects/$projectId/settings/access', projectSettings, 'AccessPage'),
    inShell('/projects/$projectId/settings/tokens', projectTokens, 'ProjectTokensPage'),
    inShell('/projects/$projectId/settings/tokens/new', newProjectToken, 'NewProjectTokenPage'),
    inShell('/projects/$projectId/settings/naming', projectSettings, 'NamingPage'),
    inShell('/projects/$projectId/settings/danger', projectSettings, 'DangerPage'),
    inShell('/projects/$projectId/features/$featureName', feature, 'FeaturePage'),
    inShell('/projects/$projectId/features/$featureName/events', featureEvents, 'FeatureEventsPage'),
    inShell(
      '/projects/$projectId/features/$featureName/dependencies',
      featureTabs,
      'FeatureDependenciesPage',
    ),
    inShell('/projects/$projectId/features/$featureName/usage', featureTabs, 'FeatureUsagePage'),
    inShell('/projects/$projectId/features/$featureName/copies', featureTabs, 'FeatureCopiesPage'),
    inShell('/projects/$projectId/features/$featureName/settings', featureTabs, 'FeatureSettingsPage'),
    inShell('/projects/$projectId/features/$featureName/clone', clone, 'ClonePage'),
    inShell('/events', events, 'EventsPage'),
    inShell('/events/$eventId', events, 'EventPage'),
    inShell('/integrations', integrations, 'IntegrationsPage'),
    inShell('/integrations/new/$provider', integration, 'NewIntegrationPage'),
    inShell('/integrations/$integrationId', integration, 'IntegrationPage'),
    inShell('/integrations/$integrationId/deliveries', deliveries, 'IntegrationDeliveriesPage'),
    inShell('/integrations/$integrationId/deliveries/$deliveryId', deliveries, 'DeliveryPage'),
    inShell('/deliveries', deliveries, 'DeliveriesPage'),
    inShell('/applications', applications, 'ApplicationsPage'),
    inShell('/unknown-flags', applications, 'UnknownFlagsPage'),
    inShell('/applications/$appName', applications, 'ApplicationPage'),
    inShell('/playground', playground, 'PlaygroundPage'),
    inShell('/profile', profile, 'ProfilePage'),
    inShell('/authorize', profile, 'AuthorizePage'),
    administration.addChildren([
      inAdministration('/admin/tokens', apiTokens, 'TokensPage'),
      inAdministration('/admin/tokens/new', newApiToken, 'NewTokenPage'),
      inAdministration('/admin/segments', segments, 'SegmentsPage'),
      inAdministration('/admin/segments/new', segments, 'NewSegmentPage'),
      inAdministration('/admin/segments/$segmentId', segments, 'SegmentPage'),
      inAdministration('/admin/environments', environments, 'EnvironmentsPage'),
      inAdministration('/admin/context-fields', contextFields, 'ContextFieldsPage'),
      inAdministration('/admin/context-fields/new', contextFields, 'NewContextFieldPage'),
      inAdministration('/admin/context-fields/$contextField', contextFields, 'ContextFieldPage'),
      inAdministration('/admin/strategy-types', strategyTypes, 'StrategyTypesPage'),
      inAdministration('/admin/feature-types', featureTypes, 'FeatureTypesPage'),
      inAdministration('/admin/tags', tags, 'TagsPage'),
      inAdministration('/admin/users', users, 'UsersPage'),
      inAdministration('/admin/groups', groups, 'GroupsPage'),
      inAdministration('/admin/groups/new', groups, 'NewGroupPage'),
      inAdministration('/admin/groups/$groupId', groups, 'GroupPage'),
      inAdministration('/admin/roles', roles, 'RolesPage'),
      inAdministration('/admin/roles/new', roles, 'NewRolePage'),
      inAdministration('/admin/roles/$roleId', roles, 'RolePage'),
      inAdministration('/admin/service-accounts', serviceAccounts, 'ServiceAccountsPage'),
      inAdministration('/admin/service-accounts/$accountId', serviceAccounts, 'ServiceAccountPage'),
      inAdministration('/admin/invitations', invitations, 'InvitationsPage'),
      inAdministration('/admin/sign-in', signIn, 'OidcPage'),
      inAdministration('/admin/sign-in/passwords', signIn, 'PasswordsPage'),
      inAdministration('/admin/sign-in/origins', signIn, 'OriginsPage'),
      inAdministration('/admin/transfer', transfer, 'ExportPage'),
      inAdministration('/admin/transfer/import', transfer, 'ImportPage'),
      inAdministration('/admin/edges', apiTokens, 'EdgesPage'),
      inAdministration('/admin/instance', instance, 'InstancePage'),
      inAdministration('/admin/explain-access', explainAccess, 'ExplainAccessPage'),
      createRoute({
        getParentRoute: () => administration,
        path: '/admin',
        component: UnknownPage,
        beforeLoad: openFirstEntry,
      }),
    ]),
    createRoute({ getParentRoute: () => shell, path: '$', component: UnknownPage }),
  ]),
]);

export const createConsoleRouter = (queryClient: QueryClient) =>
  createRouter({
    routeTree: routes,
    context: { queryClient },
    defaultPreload: 'intent',
    defaultErrorComponent: FailedPage,
    parseSearch,
    stringifySearch,
  });

declare module '@tanstack/react-router' {
  interface Register {
    router: ReturnType<typeof createConsoleRouter>;
  }
}
