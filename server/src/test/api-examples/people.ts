import { CLIENT } from '../identity-provider.ts';
import { findCookie, tryLogin } from '../login.ts';
import { PROJECT_PATH, type Recorder } from './recorder.ts';

export async function peopleAndAccess({ record, send }: Recorder): Promise<void> {
  const user = await record('createUser', 'POST', '/api/admin/user-admin', {
    name: 'Freya Holm',
    username: 'freya',
    email: 'freya@example.com',
    rootRole: 3,
  });
  const userPath = `/api/admin/user-admin/${user.id}`;
  await record('updateUser', 'PUT', userPath, { rootRole: 2 });
  await record('getUser', 'GET', userPath);
  await record('searchUsers', 'GET', '/api/admin/user-admin/search?q=freya');
  await record('getUsers', 'GET', '/api/admin/user-admin');
  await record('getAccessCandidates', 'GET', '/api/admin/user-admin/access');
  await record('getAdminCount', 'GET', '/api/admin/user-admin/admin-count');
  await record('getInactiveUsers', 'GET', '/api/admin/user-admin/inactive');

  const role = await record('createRole', 'POST', '/api/admin/roles', {
    name: 'Release manager',
    description: 'Enables features in production',
    type: 'custom',
    permissions: [
      { name: 'UPDATE_FEATURE' },
      { name: 'UPDATE_FEATURE_ENVIRONMENT', environment: 'production' },
    ],
  });
  const roleId = role.roles.id;
  await record('updateRole', 'PUT', `/api/admin/roles/${roleId}`, {
    name: 'Release manager',
    description: 'Updates features and enables them in production',
    permissions: [
      { name: 'UPDATE_FEATURE' },
      { name: 'UPDATE_FEATURE_ENVIRONMENT', environment: 'production' },
    ],
  });
  await record('getRole', 'GET', `/api/admin/roles/${roleId}`);
  await record('getRoles', 'GET', '/api/admin/roles');
  await record('getPermissions', 'GET', '/api/admin/permissions');

  const group = await record('createGroup', 'POST', '/api/admin/groups', {
    name: 'Payments team',
    description: 'Everyone who works on payments',
    mappingsSSO: ['payments'],
    users: [{ user: { id: 3 } }],
  });
  const groupPath = `/api/admin/groups/${group.id}`;
  await send('POST', `${PROJECT_PATH}/role/${roleId}/access`, {
    users: [{ id: user.id }],
    groups: [{ id: group.id }],
  });
  await record('updateGroup', 'PUT', groupPath, { name: 'Payments team', users: [{ user: { id: 3 } }] });
  await record('getGroup', 'GET', groupPath);
  await record('getGroups', 'GET', '/api/admin/groups');
  await record('getGroupProjects', 'GET', `${groupPath}/projects`);
  await record('getRoleHolders', 'GET', `/api/admin/roles/${roleId}/holders`);
  await record('getProjectAccess', 'GET', `${PROJECT_PATH}/access`);
  await record(
    'getUserPermissions',
    'GET',
    `${userPath}/permissions?project=payments&environment=production`,
  );
  await record('getAccessOfUser', 'GET', `${userPath}/access`);
  await record(
    'explainAccess',
    'GET',
    '/api/admin/access/explain?user=3&project=payments&environment=production&permission=UPDATE_FEATURE_ENVIRONMENT',
  );
  await record('getOwned', 'GET', '/api/admin/user-admin/2/owned');
  const account = await record('createServiceAccount', 'POST', '/api/admin/service-account', {
    name: 'Build server',
    rootRole: 2,
  });
  const accountPath = `/api/admin/service-account/${account.id}`;
  const accountToken = await record('createServiceAccountToken', 'POST', `${accountPath}/token`, {
    description: 'deployments',
    expiresAt: '2030-01-01T00:00:00Z',
  });
  await record('updateServiceAccountToken', 'PUT', `${accountPath}/token/${accountToken.id}`, {
    expiresAt: '2031-01-01T00:00:00Z',
  });
  await record('getServiceAccountTokens', 'GET', `${accountPath}/token`);
  await record('updateServiceAccount', 'PUT', accountPath, { name: 'Build server', rootRole: 3 });
  await record('getServiceAccount', 'GET', accountPath);
  await record('getServiceAccounts', 'GET', '/api/admin/service-account');

  await record('getMe', 'GET', '/api/admin/user');
  await record('getProfile', 'GET', '/api/admin/user/profile');
  await record('getMyRoles', 'GET', '/api/admin/user/roles?projectId=payments');
  await record('createPersonalToken', 'POST', '/api/admin/user/tokens', {
    description: 'laptop',
    expiresAt: '2030-01-01T00:00:00Z',
  });
  await record('getPersonalTokens', 'GET', '/api/admin/user/tokens');
  const view = await record('createSavedView', 'POST', '/api/admin/user/views', {
    name: 'Stale in payments',
    page: '/features',
    query: 'project=IS:payments&state=IS:stale',
  });
  await record('updateSavedView', 'PUT', `/api/admin/user/views/${view.id}`, {
    name: 'Stale flags in payments',
    page: '/features',
    query: 'project=IS:payments&state=IS:stale',
  });
  await record('getSavedView', 'GET', `/api/admin/user/views/${view.id}`);
  await record('getSavedViews', 'GET', '/api/admin/user/views');
  const sharedView = await record('createProjectView', 'POST', `${PROJECT_PATH}/views`, {
    name: 'Production this week',
    page: '/projects/payments/events',
    query: 'environment=IS:production',
  });
  await record('updateProjectView', 'PUT', `${PROJECT_PATH}/views/${sharedView.id}`, {
    name: 'Production this month',
    page: '/projects/payments/events',
    query: 'environment=IS:production',
  });
  await record('getProjectView', 'GET', `${PROJECT_PATH}/views/${sharedView.id}`);
  await record('getProjectViews', 'GET', `${PROJECT_PATH}/views`);
  await record('deactivateUser', 'POST', `${userPath}/deactivate`);
  await record('reactivateUser', 'POST', `${userPath}/reactivate`);

  const { resetPasswordUrl } = await record(
    'createResetLink',
    'POST',
    '/api/admin/user-admin/reset-password',
    { id: 'freya@example.com' },
  );
  const secret = new URL(resetPasswordUrl).searchParams.get('token');
  await record('validatePasswordLink', 'GET', `/auth/reset/validate?token=${secret}`, undefined, {
    token: null,
  });
  const signup = await record('createSignupToken', 'POST', '/api/admin/invite-link/tokens', {
    name: 'Autumn hires',
    expiresAt: new Date(Date.now() + 7 * 86_400_000).toISOString(),
  });
  await record(
    'signUp',
    'POST',
    `/invite/${signup.secret}/signup`,
    { email: 'gita@example.com', username: 'gita', name: 'Gita Rao', password: 'violet teapot 99 north' },
    { token: null },
  );
  const signupTokenPath = `/api/admin/invite-link/tokens/${signup.id ?? signup.secret}`;
  await record('updateSignupToken', 'PUT', signupTokenPath, { enabled: true });
  await record('getSignupToken', 'GET', signupTokenPath);
  await record('getSignupTokens', 'GET', '/api/admin/invite-link/tokens');
}

export async function signIn({ record, people, harness, provider }: Recorder): Promise<void> {
  const { password } = people.find(({ username }) => username === 'ada') ?? {};
  await record('login', 'POST', '/auth/simple/login', { username: 'ada', password }, { token: null });
  const cookie = String(findCookie(await tryLogin(harness.app, 'ada', String(password))));
  await record('getSessions', 'GET', '/api/admin/user/sessions', undefined, {
    token: null,
    headers: { cookie },
  });
  const browserOptions = { token: null, headers: { cookie, 'sec-fetch-site': 'same-origin' } };
  const query = new URLSearchParams({
    response_type: 'code',
    client_id: 'halyard-cli',
    redirect_uri: 'http://127.0.0.1:51234/callback',
    code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
    code_challenge_method: 'S256',
  }).toString();
  const AUTHORIZATIONS_PATH = '/api/admin/user/authorizations';
  await record('previewAuthorization', 'POST', `${AUTHORIZATIONS_PATH}/preview`, { query }, browserOptions);
  await record('decideAuthorization', 'POST', AUTHORIZATIONS_PATH, { query, allow: false }, browserOptions);
  const settings = {
    enabled: true,
    discoverUrl: provider.issuer,
    ...CLIENT,
    autoCreate: true,
    emailDomains: 'example.com',
    defaultRootRole: 'Viewer',
  };
  await record('testOidcSettings', 'POST', '/api/admin/auth/oidc/test', settings);
  await record('setOidcSettings', 'POST', '/api/admin/auth/oidc/settings', settings);
  await record('getOidcSettings', 'GET', '/api/admin/auth/oidc/settings');
  await record('getSimpleSettings', 'GET', '/api/admin/auth/simple/settings');
  await record('setSimpleSettings', 'POST', '/api/admin/auth/simple/settings', { disabled: false });
  await record('getSamlSettings', 'GET', '/api/admin/auth/saml/settings');
  await record('setSamlSettings', 'POST', '/api/admin/auth/saml/settings', { enabled: false });
  await record('getLoginMethods', 'GET', '/auth/methods', undefined, { token: null });
  await record('getAdminLogins', 'GET', '/api/admin/auth/admins');
}
