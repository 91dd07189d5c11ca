/** A page of the demo story, by the name of its pictures. Add a line for a new page. */
export type Picture = {
  name: string;
  path: string;
  /** Pages without a session. */
  loggedOut?: true;
};

/** Ids in the paths. They differ between runs. */
export type Ids = { event: number; failing: number; delivery: number };

export const pictures = ({ event, failing, delivery }: Ids): Picture[] => [
  { name: 'login', path: '/login', loggedOut: true },
  { name: 'new-user', path: '/new-user?token=unknown', loggedOut: true },
  { name: 'reset-password', path: '/reset-password?token=unknown', loggedOut: true },
  { name: 'invite', path: '/invite/unknown', loggedOut: true },
  { name: 'home', path: '/' },
  { name: 'flags', path: '/flags' },
  { name: 'flags-filtered', path: '/flags?status=production:enabled' },
  { name: 'projects', path: '/projects' },
  { name: 'project', path: '/projects/payments' },
  { name: 'project-health', path: '/projects/payments/health' },
  { name: 'project-events', path: '/projects/payments/events' },
  { name: 'project-applications', path: '/projects/payments/applications' },
  { name: 'project-segments', path: '/projects/payments/segments' },
  { name: 'project-settings', path: '/projects/payments/settings' },
  { name: 'project-environments', path: '/projects/payments/settings/environments?edit=production' },
  { name: 'project-access', path: '/projects/payments/settings/access' },
  { name: 'project-tokens', path: '/projects/payments/settings/tokens' },
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
  { name: 'integration', path: `/integrations/${failing}` },
  { name: 'integration-deliveries', path: `/integrations/${failing}/deliveries` },
  { name: 'delivery', path: `/integrations/${failing}/deliveries/${delivery}` },
  { name: 'deliveries', path: '/deliveries' },
  { name: 'playground', path: '/playground' },
  {
    name: 'playground-compared',
    path: '/playground?project=payments&environment=development&environment=production&csv=userId%2Cplan%0A7%2Cgold%0A8%2Cfree',
  },
  { name: 'applications', path: '/applications' },
  { name: 'profile', path: '/profile' },
  { name: 'admin-users', path: '/admin/users' },
  { name: 'admin-user', path: '/admin/users?user=3' },
  { name: 'admin-groups', path: '/admin/groups' },
  { name: 'admin-group-new', path: '/admin/groups/new' },
  { name: 'admin-roles', path: '/admin/roles' },
  { name: 'admin-role', path: '/admin/roles/5' },
  { name: 'admin-role-new', path: '/admin/roles/new?from=5' },
  { name: 'admin-service-accounts', path: '/admin/service-accounts' },
  { name: 'admin-invitations', path: '/admin/invitations' },
  { name: 'admin-sign-in', path: '/admin/sign-in' },
  { name: 'admin-passwords', path: '/admin/sign-in/passwords' },
  { name: 'admin-origins', path: '/admin/sign-in/origins' },
  { name: 'admin-transfer', path: '/admin/transfer' },
  { name: 'admin-import', path: '/admin/transfer/import' },
  { name: 'admin-instance', path: '/admin/instance' },
];
