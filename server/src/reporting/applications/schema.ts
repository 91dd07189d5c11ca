import { NamedObject, Nullable, Ref, SharedObject, Timestamp } from '@halyard/plane/platform/http/schema.ts';
import { type Static, Type } from 'typebox';

const fields = {
  description: Type.String({
    maxLength: 2_000,
    description: 'Purpose of the application',
    examples: ['The checkout service'],
  }),
  url: Type.String({
    maxLength: 2_000,
    description: 'URL of the application, starting with http:// or https://',
    examples: ['https://checkout.example.com'],
  }),
  icon: Type.String({ maxLength: 100, description: 'Name of an icon', examples: ['shopping_cart'] }),
  color: Type.String({
    maxLength: 50,
    description: 'Color of the application in the console',
    examples: ['#7357ff'],
  }),
};

const sdkVersion = Nullable.String({
  description: 'Name and version of the SDK',
  examples: ['unleash-node-sdk:6.12.1'],
});

export const ApplicationUsage = SharedObject('ApplicationUsage', {
  project: Type.String({ description: 'Id of the project', examples: ['payments'] }),
  environments: Type.Array(Type.String(), {
    description: 'Environments where the application requested features of the project',
    examples: [['production']],
  }),
});

const application = {
  appName: Type.String({ description: 'Name that the SDK sends', examples: ['checkout'] }),
  createdAt: Timestamp('When an SDK of the application was first seen'),
  lastSeenAt: Type.Optional(Timestamp('When an instance of the application was last seen')),
  description: Type.Optional(fields.description),
  url: Type.Optional(fields.url),
  icon: Type.Optional(fields.icon),
  color: Type.Optional(fields.color),
  strategies: Type.Array(Type.String(), {
    description: 'Strategies that the SDK implements',
    examples: [['default', 'flexibleRollout']],
  }),
  usage: Type.Array(Ref(ApplicationUsage), {
    description:
      'Projects whose features the application requested, limited to those that the caller can read',
  }),
};

export const Application = SharedObject('Application', 'An application whose SDK was seen', {
  ...application,
  instancesBehind: Type.Integer({
    minimum: 0,
    description: 'Number of instances that keep polling but lack a change from more than 10 minutes ago',
    examples: [0],
  }),
});
export type Application = Static<typeof Application>;

export const ApplicationList = SharedObject('ApplicationList', {
  applications: Type.Array(Ref(Application)),
  total: Type.Integer({ description: 'Number of matching applications on all pages', examples: [1] }),
});

export const ProjectApplication = SharedObject(
  'ProjectApplication',
  'An application that requested features of the project',
  {
    name: Type.String({ description: 'Name that the SDK sends', examples: ['checkout'] }),
    environments: Type.Array(Type.String(), {
      description: 'Environments where the application requested features of the project',
      examples: [['production']],
    }),
    instances: Type.Array(Type.String(), {
      description: 'The 100 most recently seen instances in these environments, by id',
      examples: [['host-1']],
    }),
    sdks: Type.Array(
      NamedObject('ProjectApplicationSdk', {
        name: Type.String({ description: 'Name of the SDK', examples: ['unleash-node-sdk'] }),
        versions: Type.Array(Type.String(), {
          description: 'Versions of the SDK in use',
          examples: [['6.12.1']],
        }),
      }),
      { description: 'SDKs of these instances, by name' },
    ),
  },
);
export type ProjectApplication = Static<typeof ProjectApplication>;

export const ProjectApplicationList = SharedObject('ProjectApplicationList', {
  applications: Type.Array(Ref(ProjectApplication)),
  total: Type.Integer({ description: 'Number of matching applications on all pages', examples: [1] }),
});

export const ApplicationInstance = SharedObject('ApplicationInstance', {
  instanceId: Type.String({ description: 'Id of the instance, as its SDK sends it', examples: ['host-1'] }),
  environment: Type.String({ description: 'Name of the environment', examples: ['production'] }),
  sdkVersion,
  createdAt: Timestamp('When the instance was first seen'),
  lastSeen: Timestamp('When the instance was last seen'),
});
export type ApplicationInstance = Static<typeof ApplicationInstance>;

export const ApiTokenUse = SharedObject('ApiTokenUse', 'The applications that used a token', {
  id: Type.Integer({ description: 'Id of the API token', examples: [12] }),
  applications: Type.Array(
    NamedObject('ApiTokenApplication', {
      appName: Type.String({ description: 'Name that the SDK sends', examples: ['checkout'] }),
      environment: Type.String({ description: 'Name of the environment', examples: ['production'] }),
      sdkVersion,
      instances: Type.Integer({
        description: 'Number of instances that last used the token',
        examples: [3],
      }),
      lastSeen: Timestamp('When one of these instances was last seen'),
    }),
    { description: 'The 10 applications that used the token most recently' },
  ),
});
export type ApiTokenUse = Static<typeof ApiTokenUse>;

export const ApiTokenUseList = SharedObject('ApiTokenUseList', { tokens: Type.Array(Ref(ApiTokenUse)) });

const SeenFeature = NamedObject('ApplicationFeature', {
  name: Type.String({ description: 'Feature name, unique in the instance', examples: ['pay.new-basket'] }),
  project: Type.String({ description: 'Id of the project', examples: ['payments'] }),
  type: Type.String({ description: 'Id of the feature type', examples: ['release'] }),
  stale: Type.Boolean({ description: 'Whether the feature is marked as stale', examples: [false] }),
  archived: Type.Boolean({
    description: 'Whether the feature is archived',
    examples: [false],
  }),
  environments: Type.Array(Type.String(), {
    description: 'Environments where the application requested the feature',
    examples: [['production']],
  }),
  lastSeenAt: Timestamp('When the application last requested the feature, to the hour'),
});

export const ApplicationDetails = SharedObject('ApplicationDetails', {
  ...application,
  instances: Type.Array(Ref(ApplicationInstance), {
    description: 'The 100 most recently seen instances',
  }),
  seenToggles: Type.Array(SeenFeature, {
    description: 'Features that the application requested in the last 90 days, at most 1,000',
  }),
});
export type ApplicationDetails = Static<typeof ApplicationDetails>;

const names = (description: string, example: string) =>
  Type.Array(Type.String(), { description, examples: [[example]] });

const sdk = 'unleash-node-sdk:6.12.1';

export const ApplicationEnvironment = SharedObject(
  'ApplicationEnvironment',
  'What the application uses in an environment',
  {
    name: Type.String({ description: 'Name of the environment', examples: ['production'] }),
    instanceCount: Type.Integer({
      description:
        'Number of instances seen in the last two days. The server stores up to 1,000 per application',
      examples: [3],
    }),
    sdks: names('SDKs of the instances', sdk),
    frontendSdks: names('SDKs of the instances that use the frontend API', 'unleash-js-sdk:3.8.2'),
    backendSdks: names('SDKs of the instances that use the client API', sdk),
    lastSeen: Timestamp('When an instance was last seen'),
    issues: NamedObject('ApplicationEnvironmentIssues', 'Problems of the application in the environment', {
      missingFeatures: names(
        'Feature names that the application requested but that do not exist',
        'pay.typo',
      ),
      outdatedSdks: Type.Array(Type.String(), {
        description: 'Always empty: Halyard does not know which versions are outdated',
        examples: [[]],
      }),
      instancesBehind: Type.Array(
        NamedObject('InstanceBehind', 'An instance that does not pick up changes', {
          instanceId: Type.String({
            description: 'Id of the instance, as its SDK sends it',
            examples: ['host-1'],
          }),
          revision: Type.Integer({
            minimum: 1,
            description: 'Revision up to which the instance has all changes',
            examples: [41],
          }),
          since: Timestamp('When the first change that the instance lacks was committed'),
          lastSeen: Timestamp('When a server last heard from the instance, to within about 100 s'),
        }),
        {
          description:
            'Up to 100 instances that keep polling but lack a change made more than 10 minutes and 3 poll intervals ago. Those that have been behind longest come first. Instances that stream are not listed',
        },
      ),
    }),
  },
);
export type ApplicationEnvironment = Static<typeof ApplicationEnvironment>;

export const ApplicationOverview = SharedObject('ApplicationOverview', {
  projects: names('Projects whose features the application requested', 'payments'),
  featureCount: Type.Integer({
    description: 'Number of features that the application requested',
    examples: [12],
  }),
  environments: Type.Array(Ref(ApplicationEnvironment)),
  issues: NamedObject('ApplicationIssues', 'Problems of the application', {
    missingStrategies: names(
      'Strategies that the SDK implements but that have no strategy type',
      'userWithId',
    ),
  }),
});

export const InstanceList = SharedObject('ApplicationInstanceList', {
  instances: Type.Array(
    NamedObject('EnvironmentInstance', {
      instanceId: Type.String({
        description: 'Id of the instance, as its SDK sends it',
        examples: ['host-1'],
      }),
      sdkVersion,
      lastSeen: Timestamp('When the instance was last seen'),
    }),
    { description: 'The 100 most recently seen instances' },
  ),
});

export const UnknownFlag = SharedObject('UnknownFlag', {
  name: Type.String({ description: 'The requested name', examples: ['pay.typo'] }),
  lastSeenAt: Timestamp('When an application last requested the name'),
  reports: Type.Array(
    NamedObject('UnknownFlagReport', 'An application that requested the name', {
      appName: Type.String({
        description: 'Name of the application, as its SDK sends it',
        examples: ['checkout'],
      }),
      environments: Type.Array(
        NamedObject('UnknownFlagEnvironment', 'An environment where the name was requested', {
          environment: Type.String({
            description: 'Name of the environment',
            examples: ['production'],
          }),
          seenAt: Timestamp('When the application last requested the name in the environment'),
        }),
      ),
    }),
  ),
});
export type UnknownFlag = Static<typeof UnknownFlag>;

export const UnknownFlagList = SharedObject('UnknownFlagList', {
  unknownFlags: Type.Array(Ref(UnknownFlag), { description: 'The 1,000 most recently requested names' }),
});

export const ApplicationFields = NamedObject(
  'ApplicationFields',
  {
    description: Type.Optional(Nullable(fields.description)),
    url: Type.Optional(Nullable(fields.url)),
    icon: Type.Optional(Nullable(fields.icon)),
    color: Type.Optional(Nullable(fields.color)),
  },
  { examples: [{ description: 'The checkout service', url: 'https://checkout.example.com' }] },
);
export type ApplicationFields = Static<typeof ApplicationFields>;
