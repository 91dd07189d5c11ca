/** A difference between the responses of Halyard and Unleash, with the reason. */
export type KnownDifference = {
  /** Operations, or all of them. */
  operations: string[] | 'all';
  /** The cases that have the difference, which are all cases by default. */
  cases?: RegExp;
  /** The difference that the comparison finds. */
  found: RegExp;
  /** What a client notices, for the documentation page. */
  difference: string;
  reason: string;
};

const A = '/api/admin';
const P = `${A}/projects/:projectId`;
const F = `${P}/features/:featureName`;
const USERS = [
  `GET ${A}/user-admin`,
  `POST ${A}/user-admin`,
  `GET ${A}/user-admin/:id`,
  `PUT ${A}/user-admin/:id`,
  `GET ${A}/user-admin/:id/permissions`,
  'POST /invite/:token/signup',
];
const CALLER = [`GET ${A}/user`, 'POST /auth/simple/login'];

/** Every difference that the replay finds must have a row here, and every row must be found. */
export const KNOWN_DIFFERENCES: KnownDifference[] = [
  {
    operations: 'all',
    found: /: absent instead of null$/,
    difference: 'A field without a value is absent; in Unleash it is null',
    reason: 'One rule for all responses. Clients read both as "no value".',
  },
  {
    operations: 'all',
    cases: /^unknown /,
    found: /^status: 404 instead of/,
    difference: '404 for an unknown name or id in the path; Unleash returns 200, 400, 403 or 500',
    reason:
      'Unleash ignores some parts of the path, or reports success for a change that does nothing, which hides a typo.',
  },
  {
    operations: ['GET /api/client/delta'],
    cases: /^success$/,
    found: /^status: 200 instead of 404$/,
    difference: 'Always available',
    reason: 'The open-source version of Unleash has the operation, but disables it by default.',
  },
  {
    operations: [
      'POST /api/client/register',
      'POST /api/client/metrics',
      'POST /api/frontend/client/metrics',
      'POST /api/frontend/client/register',
    ],
    cases: /^(wrong type of|without) /,
    found: /^status: 20[02] instead of 400$/,
    difference: 'A missing or invalid field is skipped instead of rejected',
    reason: 'An SDK that gets a 400 may stop sending metrics until it is restarted.',
  },
  {
    operations: ['GET /internal-backstage/impact/metrics'],
    found: /^body: null instead of string$/,
    difference: 'Without metrics, the body is empty; in Unleash it is a line break',
    reason: 'Both are empty for Prometheus.',
  },
  {
    operations: ['POST /logout'],
    found: /^status: 200 instead of 302$/,
    difference: '200 instead of a redirect to a page',
    reason: "Halyard's console chooses the page. A script only needs the session to end.",
  },
  {
    operations: ['GET /auth/reset/validate'],
    cases: /^without the token$/,
    found: /^status: 400 instead of 401$/,
    difference: '400 for a request without the token',
    reason: 'The request is incomplete. For a wrong token both return 401.',
  },
  {
    operations: ['POST /auth/reset/password-email'],
    found: /^status: 200 instead of 404$/,
    difference: '200 for an unknown email address',
    reason: 'A 404 would reveal which email addresses have an account.',
  },
  {
    operations: [`GET ${F}`],
    found: /\.environments\[\]\.(yes|no): missing$/,
    difference: 'Environments have no `yes` or `no`',
    reason: 'The feature search and `GET /api/admin/client-metrics/features/:featureName` have the counts.',
  },
  {
    operations: [`POST ${F}/dependencies`],
    cases: /^unknown parent$/,
    found: /^status: 400 instead of 403$/,
    difference: '400 for an unknown parent',
    reason: 'The body is invalid. The caller does not lack a permission.',
  },
  {
    operations: [
      `GET ${A}/features/:featureName/tags`,
      `PUT ${A}/features/:featureName/tags`,
      `GET ${A}/search/features`,
    ],
    found: /\.tags\[\]\.color: missing$/,
    difference: 'Tags have no `color`',
    reason: 'The color belongs to the tag type, which `GET /api/admin/tag-types` returns.',
  },
  {
    operations: [`PUT ${A}/features/:featureName/tags`],
    cases: /^without /,
    found: /^status: 200 instead of 400$/,
    difference: '`addedTags` or `removedTags` can be omitted',
    reason: 'An omitted list changes nothing.',
  },
  {
    operations: [`GET ${A}/search/features`],
    found: /\.changeRequestIds: missing$/,
    difference: 'Environments have no `changeRequestIds`',
    reason: 'Halyard has no change requests.',
  },
  {
    operations: [`GET ${A}/projects`],
    found: /\.(lastReportedFlagUsage|lastUpdatedAt|onboardingStatus): missing$/,
    difference: 'No `lastReportedFlagUsage`, `lastUpdatedAt` or `onboardingStatus`',
    reason: "Only Unleash's console shows them. `lastEventAt` is the time of a project's last change.",
  },
  {
    operations: [`GET ${P}/status`],
    found: /averageDays: null instead of number$/,
    difference: '`averageDays` is null for a stage that no feature has left',
    reason: 'Unleash sends 0, which reads like a measured average.',
  },
  {
    operations: [`GET ${A}/environments/project/:projectId`],
    found: /\.visible: missing$/,
    difference: 'Environments have no `visible`',
    reason: 'All environments of a project are visible.',
  },
  {
    operations: [`GET ${A}/segments/:id/strategies`],
    found: /\.changeRequestStrategies: missing$/,
    difference: 'No `changeRequestStrategies`',
    reason: 'Halyard has no change requests.',
  },
  {
    operations: [`POST ${A}/strategies`],
    found: /^\.title: missing$|^status: 201 instead of 400$/,
    difference: 'No `title`, and `parameters` can be omitted',
    reason: 'A type has a name and a description. A type without parameters is valid.',
  },
  {
    operations: [`PUT ${A}/strategies/:strategyName`],
    cases: /^without parameters$/,
    found: /^status: 200 instead of 400$/,
    difference: '`parameters` can be omitted',
    reason: 'Omitted fields keep their values.',
  },
  {
    operations: [`GET ${A}/tag-types`],
    found: /\.color: null instead of string$/,
    difference: '`color` is null for a tag type without a color',
    reason: 'Unleash sends white.',
  },
  {
    operations: [...USERS],
    found: /\.loginAttempts: missing$/,
    difference: 'Users have no `loginAttempts`',
    reason: 'Failed logins are limited for each account and network, and are not counted for a user.',
  },
  {
    operations: [`GET ${A}/user-admin`, `POST ${A}/user-admin`],
    found: /\.inviteLink: missing$/,
    difference: '`inviteLink` is absent for a user with a password',
    reason: 'A link that sets a password is created only where it is needed.',
  },
  {
    operations: [`POST ${A}/user-admin`],
    cases: /^taken name$/,
    found: /^status: 409 instead of 400$/,
    difference: '409 for a name or email address that is taken',
    reason: 'Consistent with every other taken name.',
  },
  {
    operations: [`GET ${A}/user-admin/:id/permissions`],
    found: /\.overview\.groups: missing$/,
    difference: 'No `overview.groups`',
    reason: 'The permissions of groups are part of the other lists.',
  },
  {
    operations: [`GET ${A}/user-admin/search`],
    found: /\.(accountType|imageUrl|seenAt): missing$/,
    difference: 'Only id, name, username and email address',
    reason: 'Every caller may search users, so a result has only what is needed to choose one.',
  },
  {
    operations: [`GET ${A}/user-admin/access`],
    found: /\.accountType: missing$|: null instead of string$/,
    difference: 'No `accountType`; a missing name, username or email address is null',
    reason: 'All entries are users.',
  },
  {
    operations: [`POST ${A}/user-admin/inactive/delete`],
    cases: /^success$/,
    found: /^status: 400 instead of 200$/,
    difference: '400 for an empty list',
    reason: 'It would delete nobody, which is rarely what the caller wants.',
  },
  {
    operations: CALLER,
    found: /\.(accountType|activeSessions|createdAt|deletedSessions|imageUrl|loginAttempts|seenAt): missing$/,
    difference: 'The user has only id, name, username, email address and `isAPI`',
    reason:
      '`GET /api/admin/user/sessions` lists the sessions, `GET /api/admin/user-admin/:id` has the rest.',
  },
  {
    operations: [`GET ${A}/user/roles`],
    found: /\.project: missing$/,
    difference: 'A root role has no `project`',
    reason: 'A root role applies to the instance.',
  },
  {
    operations: [`GET ${A}/instance-admin/statistics`],
    found: /: missing$/,
    difference: 'Only counts of what exists, and of active users and applications',
    reason: 'Halyard has no release plans and no licenses, and the event search counts past changes.',
  },
  {
    operations: [`POST ${A}/ui-config/cors`],
    found: /^status: 400 instead of 404$/,
    difference: '400 for a body without `frontendApiOrigins`',
    reason: 'The body is invalid.',
  },
  {
    operations: [
      `GET ${A}/invite-link/tokens`,
      `GET ${A}/invite-link/tokens/:token`,
      `PUT ${A}/invite-link/tokens/:token`,
    ],
    found: /\.?url: null instead of string$/,
    difference: '`url` is null, except in the response that creates the link',
    reason: 'The server stores only the hash of the secret.',
  },
  {
    operations: ['GET /invite/:token/validate', 'POST /invite/:token/signup'],
    cases: /^unknown token$/,
    found: /^status: 401 instead of 400$/,
    difference: '401 for an unknown link',
    reason: 'Consistent with an unknown password link.',
  },
  {
    operations: ['POST /invite/:token/signup'],
    cases: /^without name$/,
    found: /^status: 201 instead of 400$/,
    difference: '`name` can be omitted',
    reason: 'A user can have only a username or an email address.',
  },
  {
    operations: [`GET ${A}/metrics/applications`],
    found: /\.(createdBy|environment|project|updatedAt): missing$/,
    difference: 'Applications have no `createdBy`, `updatedAt`, `project` or `environment`',
    reason: 'SDKs create applications. `usage` has the projects and environments.',
  },
  {
    operations: [`GET ${A}/metrics/applications/:appName`],
    found: /: missing$|^\.strategies\[\]: string instead of object$/,
    difference:
      'Strategies are only names; instances have no IP address and no `sdkType`; flags have only name, type and project; no `links`',
    reason:
      "Unleash's API document says that strategies are strings. Halyard stores no IP addresses of instances.",
  },
];
