import type { Page } from 'playwright-core';

/** A page of the demo and the name of its screenshots. A test checks that every path in routes.tsx has a screenshot. */
export type Screenshot = {
  name: string;
  path: string;
  /** Whether the page is shown without a session. */
  isLoggedOut?: true;
  /** Actions on the page before the screenshot is taken. */
  prepare?: (page: Page) => Promise<void>;
};

/** Ids in the paths, which differ between runs. */
export type Ids = { event: number; integration: number; delivery: number };

/** The ids of objects that the administration screenshots need in addition to the sample data. */
export type CreatedIds = {
  role: number;
  group: number;
  account: number;
  /** A user who cannot toggle in production. */
  tester: number;
};

/** Pages of an empty instance. */
export const FIRST_RUN_SCREENSHOTS: Screenshot[] = [
  {
    name: 'first-run',
    path: '/',
    prepare: async page => {
      await page.getByRole('button', { name: 'Create flag' }).click();
      await page.getByRole('button', { name: 'Create token for a server' }).click();
      await page.getByText('Waiting for the first SDK…').waitFor();
    },
  },
];

export const listScreenshots = ({ event, integration, delivery }: Ids): Screenshot[] => [
  { name: 'login', path: '/login', isLoggedOut: true },
  { name: 'new-user', path: '/new-user?token=unknown', isLoggedOut: true },
  { name: 'reset-password', path: '/reset-password?token=unknown', isLoggedOut: true },
  { name: 'invite', path: '/invite/unknown', isLoggedOut: true },
  { name: 'logged-in', path: '/logged-in', isLoggedOut: true },
  { name: 'home', path: '/' },
  { name: 'flags', path: '/flags' },
  { name: 'flags-filtered', path: '/flags?status=production:enabled' },
  { name: 'projects', path: '/projects' },
  { name: 'project', path: '/projects/payments' },
  { name: 'project-health', path: '/projects/payments/health' },
  { name: 'project-events', path: '/projects/payments/events' },
  { name: 'project-applications', path: '/projects/payments/applications' },
  { name: 'project-usage', path: '/projects/payments/applications/usage' },
  { name: 'project-segments', path: '/projects/payments/segments' },
  { name: 'project-settings', path: '/projects/payments/settings' },
  { name: 'project-environments', path: '/projects/payments/settings/environments?edit=production' },
  { name: 'project-access', path: '/projects/payments/settings/access' },
  { name: 'project-tokens', path: '/projects/payments/settings/tokens' },
  { name: 'project-token-new', path: '/projects/payments/settings/tokens/new' },
  { name: 'project-naming', path: '/projects/payments/settings/naming' },
  { name: 'project-danger', path: '/projects/payments/settings/danger' },
  { name: 'flag', path: '/projects/payments/features/checkout-express' },
  { name: 'flag-usage', path: '/projects/payments/features/checkout-express/usage?range=month' },
  { name: 'flag-events', path: '/projects/payments/features/checkout-express/events' },
  { name: 'flag-dependencies', path: '/projects/payments/features/checkout-express/dependencies' },
  { name: 'flag-copies', path: '/projects/payments/features/checkout-express/copies' },
  { name: 'flag-settings', path: '/projects/payments/features/checkout-express/settings' },
  { name: 'clone', path: '/projects/payments/features/checkout-express/clone' },
  { name: 'events', path: `/events?event=${event}` },
  { name: 'event', path: `/events/${event}` },
  { name: 'integrations', path: '/integrations' },
  { name: 'integration-new', path: '/integrations/new/webhook' },
  { name: 'integration', path: `/integrations/${integration}` },
  { name: 'integration-deliveries', path: `/integrations/${integration}/deliveries` },
  { name: 'delivery', path: `/integrations/${integration}/deliveries/${delivery}` },
  { name: 'deliveries', path: '/deliveries' },
  { name: 'playground', path: '/playground' },
  {
    name: 'playground-compared',
    path: '/playground?project=payments&environment=development&environment=production&csv=userId%2Cplan%0A7%2Cgold%0A8%2Cfree',
  },
  { name: 'applications', path: '/applications' },
  { name: 'unknown-flags', path: '/unknown-flags' },
  { name: 'application', path: '/applications/checkout-service' },
  { name: 'profile', path: '/profile' },
  { name: 'authorize', path: '/authorize' },
];

export const listAdministrationScreenshots = ({ role, group, account, tester }: CreatedIds): Screenshot[] => [
  { name: 'admin-tokens', path: '/admin/tokens?token=1' },
  { name: 'admin-token-new', path: '/admin/tokens/new' },
  { name: 'admin-segments', path: '/admin/segments' },
  {
    name: 'admin-segment',
    path: '/admin/segments/1',
    prepare: async page => {
      await page
        .getByRole('textbox', { name: /^Values of / })
        .first()
        .fill('PL');
      await page.keyboard.press('Enter');
      await page.getByRole('button', { name: /^Save/ }).waitFor();
    },
  },
  { name: 'admin-segment-new', path: '/admin/segments/new' },
  { name: 'admin-environments', path: '/admin/environments' },
  { name: 'admin-context-fields', path: '/admin/context-fields' },
  { name: 'admin-context-field-new', path: '/admin/context-fields/new' },
  { name: 'admin-context-field', path: '/admin/context-fields/country' },
  { name: 'admin-strategy-types', path: '/admin/strategy-types' },
  { name: 'admin-feature-types', path: '/admin/feature-types' },
  { name: 'admin-tags', path: '/admin/tags' },
  { name: 'admin-users', path: '/admin/users' },
  { name: 'admin-user', path: '/admin/users?user=3' },
  { name: 'admin-groups', path: '/admin/groups' },
  { name: 'admin-group', path: `/admin/groups/${group}` },
  { name: 'admin-group-new', path: '/admin/groups/new' },
  { name: 'admin-roles', path: '/admin/roles' },
  {
    name: 'admin-role',
    path: `/admin/roles/${role}`,
    prepare: page =>
      page
        .getByLabel('Compare with')
        .selectOption({ label: 'Member' })
        .then(() => undefined),
  },
  { name: 'admin-role-new', path: '/admin/roles/new?from=5' },
  { name: 'admin-service-accounts', path: '/admin/service-accounts' },
  { name: 'admin-service-account', path: `/admin/service-accounts/${account}` },
  { name: 'admin-invitations', path: '/admin/invitations' },
  { name: 'admin-edges', path: '/admin/edges' },
  {
    name: 'admin-explain-access',
    path: `/admin/explain-access?user=${tester}&permission=UPDATE_FEATURE_ENVIRONMENT&project=payments&environment=production`,
  },
  { name: 'admin-sign-in', path: '/admin/sign-in' },
  { name: 'admin-passwords', path: '/admin/sign-in/passwords' },
  { name: 'admin-origins', path: '/admin/sign-in/origins' },
  { name: 'admin-transfer', path: '/admin/transfer' },
  { name: 'admin-import', path: '/admin/transfer/import' },
  { name: 'admin-instance', path: '/admin/instance' },
];
