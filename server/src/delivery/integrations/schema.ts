import { MAX_FILTER_LENGTH, MAX_TEXT_LENGTH } from '@halyard/plane/platform/http/input/filter.ts';
import {
  ALL,
  NamedObject,
  Nullable,
  Optional,
  PathId,
  Ref,
  SharedObject,
  Timestamp,
} from '@halyard/plane/platform/http/schema.ts';
import { type Static, Type } from 'typebox';
import { EVENT_TYPE_NAMES } from '../../record/events/event-types.ts';
import { Event } from '../../record/events/schema.ts';

const name = (options: object) => Type.String({ minLength: 1, maxLength: 100, ...options });

const provider = name({ description: 'Name of the provider', examples: ['webhook'] });
const description = Nullable.String({
  maxLength: 1_000,
  description: 'Purpose of the integration',
  examples: ['Notifies the on-call channel'],
});
const enabled = Type.Boolean({ description: 'Whether events are delivered', examples: [true] });
const events = Type.Array(name({ examples: ['feature-created'] }), {
  maxItems: 500,
  description: 'Event types to deliver. * means every type.',
  examples: [['feature-created', 'feature-updated']],
});
const projects = Type.Array(name({ examples: ['default'] }), {
  maxItems: 500,
  description:
    'Projects whose events are delivered. An empty list or * means all. With a list, events without a project are delivered only if eventsWithoutProject is true.',
  examples: [['default']],
});
const environments = Type.Array(name({ examples: ['production'] }), {
  maxItems: 100,
  description:
    'Environments whose events are delivered. An empty list or * means all. Events without an environment are always delivered.',
  examples: [['production']],
});
const eventsWithoutProject = Type.Boolean({
  description: 'With a list of projects: also deliver events without a project',
  examples: [false],
});
const buildFilterSchema = (subject: string, example: string) =>
  Optional.String({
    maxLength: MAX_FILTER_LENGTH,
    description: `${subject}: IS:value or IS_ANY_OF:value,value`,
    examples: [example],
  });

/** Omits the published pattern, because the body validator would run it (platform/http/input/filter.ts). */
const filter = Nullable(
  NamedObject(
    'IntegrationFilter',
    {
      query: Optional.String({
        maxLength: MAX_TEXT_LENGTH,
        description:
          'String to find in the JSON of data, preData, tags or the comment, as in the event search',
        examples: ['flexibleRollout'],
      }),
      feature: buildFilterSchema('Feature names', 'IS:checkout-v2'),
      project: buildFilterSchema('Project ids', 'IS_ANY_OF:default,payments'),
      type: buildFilterSchema('Event types', 'IS:feature-updated'),
      createdBy: buildFilterSchema('User ids of creators', 'IS:7'),
      environment: buildFilterSchema('Environments', 'IS:production'),
    },
    {
      additionalProperties: false,
      description:
        'Filters with the syntax of the event search. An event is delivered if it matches all of them as well as events, projects and environments. Unlike environments, environment does not match events without an environment. null: no filter',
      examples: [{ query: 'flexibleRollout', environment: 'IS:production' }],
    },
  ),
);
const ordered = Type.Boolean({
  description:
    'Deliver events in order, one at a time. A failing delivery blocks later ones until it succeeds or is exhausted.',
  examples: [false],
});
const whenExhausted = Type.Unsafe<'skip' | 'block'>({
  type: 'string',
  enum: ['skip', 'block'],
  description:
    'What an ordered integration does when a delivery is exhausted. skip: continue with the next event. block: wait until the delivery is redelivered or skipped.',
  examples: ['skip'],
});

export const Integration = SharedObject('Integration', {
  id: Type.Integer({ description: 'Id of the integration', examples: [3] }),
  provider,
  description,
  enabled,
  parameters: Type.Record(Type.String(), Type.String(), {
    description: 'Provider parameters. Sensitive values are masked as *****.',
    examples: [{ url: '*****', contentType: 'application/json' }],
  }),
  events,
  projects,
  environments,
  eventsWithoutProject,
  filter,
  ordered,
  whenExhausted,
  createdAt: Timestamp('When the integration was created'),
  failingSince: Nullable(Timestamp('When the attempts started to fail. null if the last attempt succeeded.')),
  disabledAt: Nullable(
    Timestamp('When the integration was last disabled. Events since then can be backfilled.'),
  ),
  disabledBecause: Nullable.String({ description: 'Why the server disabled the integration' }),
  oldSecretUntil: Nullable(Timestamp('Until when requests are also signed with the previous secret')),
  problem: Nullable.String({
    description:
      'Why deliveries cannot be sent with the stored configuration, and how to fix it. null if there is no problem.',
    examples: ['The signing secret cannot be decrypted. Rotate it.'],
  }),
});
export type Integration = Static<typeof Integration>;
export type IntegrationFilter = NonNullable<Integration['filter']>;

export const NewIntegration = SharedObject('NewIntegration', {
  ...Integration.properties,
  signingSecret: Optional.String({
    description: 'Secret that signs requests. Only this response contains it.',
    examples: ['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'],
  }),
});

export const ProviderDefinition = SharedObject('IntegrationProvider', {
  name: Type.String({ description: 'Name of the provider', examples: ['webhook'] }),
  displayName: Type.String({ description: 'Display name', examples: ['Webhook'] }),
  description: Type.String({ description: 'What the provider does with events' }),
  howTo: Type.String({ description: 'What to do in the receiving system, and what to enter' }),
  documentationUrl: Type.String({ description: 'URL of the parameter documentation' }),
  parameters: Type.Array(
    NamedObject('IntegrationParameter', 'A parameter of a provider', {
      name: Type.String({ description: 'Name of the parameter', examples: ['url'] }),
      displayName: Type.String({ description: 'Display name', examples: ['URL'] }),
      type: Type.String({ enum: ['text', 'textfield', 'url'], description: 'Input type for forms' }),
      description: Type.String({ description: 'What the parameter is for' }),
      placeholder: Type.String({ description: 'Example value for a form' }),
      required: Type.Boolean({ description: 'Whether the parameter is required' }),
      sensitive: Type.Boolean({ description: 'Whether the value is encrypted and masked in responses' }),
    }),
  ),
  events: Type.Array(Type.String(), {
    description: 'Event types that the provider can deliver. * means every type.',
  }),
  tagTypes: Type.Array(
    NamedObject('IntegrationTagType', {
      name: Type.String({ description: 'Name of the tag type' }),
      description: Type.String({ description: 'Description of the tag type' }),
      icon: Type.String({ description: 'Icon of the tag type' }),
    }),
    { description: 'Tag types that the first integration of this provider creates' },
  ),
  filters: Type.String({ description: 'How filters treat events without a project or environment' }),
  signed: Type.Boolean({ description: 'Whether requests are signed according to Standard Webhooks' }),
});
export type ProviderDefinition = Static<typeof ProviderDefinition>;

export const IntegrationList = SharedObject('IntegrationList', {
  addons: Type.Array(Ref(Integration), { description: 'Integrations, oldest first' }),
  providers: Type.Array(Ref(ProviderDefinition), { description: 'Available providers' }),
});

const parameters = Type.Object(
  {},
  {
    additionalProperties: true,
    propertyNames: { type: 'string', maxLength: 100 },
    maxProperties: 30,
    description: 'Provider parameters, each a string. In an update, ***** keeps the stored value.',
    examples: [{ url: 'https://example.com/hooks/flags' }],
  },
);

export const IntegrationInput = NamedObject(
  'IntegrationInput',
  {
    provider,
    description: Type.Optional(description),
    enabled,
    parameters,
    events,
    projects: Type.Optional(projects),
    environments: Type.Optional(environments),
    eventsWithoutProject: Type.Optional(eventsWithoutProject),
    filter: Type.Optional(filter),
    ordered: Type.Optional(ordered),
    whenExhausted: Type.Optional(whenExhausted),
  },
  {
    examples: [
      {
        provider: 'webhook',
        description: 'Notifies the on-call channel',
        enabled: true,
        parameters: { url: 'https://example.com/hooks/flags' },
        events: ['feature-created', 'feature-archived'],
      },
    ],
  },
);
export type IntegrationInput = Static<typeof IntegrationInput>;

export const PREVIEWED_EVENTS = 20;
/** The number of ids that a preview searches, newest first, because searching a long log for rare events would take too long. */
export const PREVIEWED_IDS = 50_000;

export const PreviewInput = NamedObject(
  'IntegrationPreviewInput',
  {
    events,
    projects: Type.Optional(projects),
    environments: Type.Optional(environments),
    eventsWithoutProject: Type.Optional(eventsWithoutProject),
    filter: Type.Optional(filter),
  },
  { examples: [{ events: ['*'], filter: { query: 'flexibleRollout' } }] },
);
export type PreviewInput = Static<typeof PreviewInput>;

export const IntegrationPreview = SharedObject('IntegrationPreview', {
  events: Type.Array(Ref(Event), {
    description: `The newest matching events that the caller can see, at most ${PREVIEWED_EVENTS} of the newest ${PREVIEWED_IDS.toLocaleString('en')} events in the log`,
  }),
  isComplete: Type.Boolean({
    description: `Whether the preview searched the whole log. false: the log has more than ${PREVIEWED_IDS.toLocaleString('en')} events, and older ones may match too`,
    examples: [true],
  }),
});

export const SecretRotation = NamedObject(
  'SecretRotation',
  {
    overlapHours: Optional.Integer({
      minimum: 0,
      maximum: 168,
      description: 'Hours during which requests are also signed with the previous secret. Default: 24.',
      examples: [24],
    }),
    force: Optional.Boolean({
      description: 'Rotate even if the previous secret is still valid',
      examples: [false],
    }),
  },
  { additionalProperties: false, examples: [{ overlapHours: 24 }] },
);
export type SecretRotation = Static<typeof SecretRotation>;

export const RotatedSecret = SharedObject('RotatedSecret', {
  signingSecret: Type.String({ description: 'New secret. Only this response contains it.' }),
  oldSecretUntil: Nullable(Timestamp('Until when requests are also signed with the previous secret')),
});

export const params = Type.Object({
  id: PathId('Integration', '3'),
});

export const KNOWN_EVENTS: readonly string[] = [ALL, ...EVENT_TYPE_NAMES];
