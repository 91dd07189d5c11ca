import { type Static, Type } from 'typebox';
import { Named, NamedObject, Nullable, PathId, Ref, Timestamp } from '../../platform/http/schema.ts';
import { EVENT_TYPE_NAMES } from '../../record/events/event-types.ts';

const name = (options: object) => Type.String({ minLength: 1, maxLength: 100, ...options });

const provider = name({ description: 'Name of the provider', examples: ['webhook'] });
const description = Nullable(
  Type.String({ maxLength: 1_000, description: 'What it is for', examples: ['Tells the on-call channel'] }),
);
const enabled = Type.Boolean({ description: 'Whether events are delivered', examples: [true] });
const events = Type.Array(name({ examples: ['feature-created'] }), {
  maxItems: 500,
  description: 'Types of events to deliver; * stands for every type',
  examples: [['feature-created', 'feature-updated']],
});
const projects = Type.Array(name({ examples: ['default'] }), {
  maxItems: 500,
  description:
    'Projects whose events are delivered; none or * for all. With projects named, events without a project are left out unless eventsWithoutProject says otherwise',
  examples: [['default']],
});
const environments = Type.Array(name({ examples: ['production'] }), {
  maxItems: 100,
  description:
    'Environments whose events are delivered; none or * for all. Events that have no environment are always delivered',
  examples: [['production']],
});
const eventsWithoutProject = Type.Boolean({
  description: 'With projects named: deliver also events that belong to no project',
  examples: [false],
});
const ordered = Type.Boolean({
  description:
    'Deliver strictly in the order of the events, one after the other: one that fails holds up the rest until it is given up',
  examples: [false],
});
const whenGivenUp = Type.Unsafe<'skip' | 'hold'>({
  type: 'string',
  enum: ['skip', 'hold'],
  description:
    'What an ordered integration does after a delivery was given up: go on with the next (skip), or wait until somebody delivers it again or skips it (hold)',
  examples: ['skip'],
});

export const Integration = Named(
  'Integration',
  Type.Object({
    id: Type.Integer({ examples: [3] }),
    provider,
    description,
    enabled,
    parameters: Type.Record(Type.String(), Type.String(), {
      description: 'Parameters of the provider; sensitive ones are shown as *****',
      examples: [{ url: '*****', contentType: 'application/json' }],
    }),
    events,
    projects,
    environments,
    eventsWithoutProject,
    ordered,
    whenGivenUp,
    createdAt: Timestamp('When it was created'),
    failingSince: Nullable(Timestamp('Since when every attempt failed; null while attempts succeed')),
    disabledAt: Nullable(Timestamp('When it was last switched off: what happened since can be backfilled')),
    disabledBecause: Nullable(Type.String({ description: 'Why the service switched it off' })),
    oldSecretUntil: Nullable(Timestamp('Until when requests are signed with the replaced secret too')),
    problem: Nullable(
      Type.String({
        description: 'Why deliveries cannot be made as it is stored, and what to do; null if they can',
        examples: ['The signing secret cannot be decrypted. Rotate it.'],
      }),
    ),
  }),
);
export type Integration = Static<typeof Integration>;

export const NewIntegrationAnswer = Named(
  'NewIntegration',
  Type.Object({
    ...Integration.properties,
    signingSecret: Type.Optional(
      Type.String({
        description: 'The secret that requests are signed with, shown this once',
        examples: ['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'],
      }),
    ),
  }),
);

export const ProviderDefinition = Named(
  'IntegrationProvider',
  Type.Object({
    name: Type.String({ examples: ['webhook'] }),
    displayName: Type.String({ examples: ['Webhook'] }),
    description: Type.String(),
    documentationUrl: Type.String({ description: 'Where its parameters are explained' }),
    parameters: Type.Array(
      NamedObject('IntegrationParameter', {
        name: Type.String({ examples: ['url'] }),
        displayName: Type.String({ examples: ['Address'] }),
        type: Type.String({ enum: ['text', 'textfield', 'url'], description: 'Which input fits it' }),
        description: Type.String(),
        placeholder: Type.String(),
        required: Type.Boolean(),
        sensitive: Type.Boolean({ description: 'Whether it is encrypted and never shown again' }),
      }),
    ),
    events: Type.Array(Type.String(), { description: 'Types it can deliver: all there are, and * for all' }),
    tagTypes: Type.Array(
      NamedObject('IntegrationTagType', {
        name: Type.String(),
        description: Type.String(),
        icon: Type.String(),
      }),
      { description: 'Tag types made with the first integration of this kind' },
    ),
    filters: Type.String({ description: 'How the filters treat events without project or environment' }),
    signed: Type.Boolean({ description: 'Whether requests are signed by the Standard Webhooks scheme' }),
  }),
);
export type ProviderDefinition = Static<typeof ProviderDefinition>;

export const IntegrationList = Named(
  'IntegrationList',
  Type.Object({
    addons: Type.Array(Ref(Integration), { description: 'The integrations, oldest first' }),
    providers: Type.Array(Ref(ProviderDefinition), { description: 'What can be integrated' }),
  }),
);

const parameters = Type.Object(
  {},
  {
    additionalProperties: true,
    propertyNames: { type: 'string', maxLength: 100 },
    maxProperties: 30,
    description: 'Parameters of the provider, each a text. On update ***** keeps what is stored',
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
    ordered: Type.Optional(ordered),
    whenGivenUp: Type.Optional(whenGivenUp),
  },
  {
    examples: [
      {
        provider: 'webhook',
        description: 'Tells the on-call channel',
        enabled: true,
        parameters: { url: 'https://example.com/hooks/flags' },
        events: ['feature-created', 'feature-archived'],
      },
    ],
  },
);
export type IntegrationInput = Static<typeof IntegrationInput>;

export const SecretRotation = NamedObject(
  'SecretRotation',
  {
    overlapHours: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 168,
        description: 'How long requests carry a signature with the old secret too; 24 if left out',
        examples: [24],
      }),
    ),
    force: Type.Optional(
      Type.Boolean({ description: 'Rotate though the secret before is still in use', examples: [false] }),
    ),
  },
  { additionalProperties: false, examples: [{ overlapHours: 24 }] },
);
export type SecretRotation = Static<typeof SecretRotation>;

export const RotatedSecret = Named(
  'RotatedSecret',
  Type.Object({
    signingSecret: Type.String({ description: 'The new secret, shown this once' }),
    oldSecretUntil: Nullable(Timestamp('Until when requests are signed with the old secret too')),
  }),
);

export const params = Type.Object({
  id: PathId('Integration', '3'),
});

export const ALL = '*';
export const KNOWN_EVENTS: readonly string[] = [ALL, ...EVENT_TYPE_NAMES];
