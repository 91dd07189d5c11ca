import { NamedObject, Nullable, Optional, SharedObject } from '@halyard/plane/platform/http/schema.ts';
import { type Static, Type } from 'typebox';

export const count = (description: string, example: number) =>
  Type.Integer({ minimum: 0, description, examples: [example] });

export const Instance = SharedObject('Instance', {
  version: Type.String({ description: 'Version of Halyard', examples: ['0.1.0'] }),
  edition: Type.String({
    description: 'Always `open-source`: Halyard has a single edition with all features',
    examples: ['open-source'],
  }),
  license: Type.String({
    description: "Halyard's license, as an SPDX identifier",
    examples: ['Apache-2.0'],
  }),
  publicUrl: Type.String({
    description: 'URL at which people reach the server',
    examples: ['https://flags.example.com'],
  }),
  limits: NamedObject('InstanceLimits', 'The limits of the instance', {
    projects: count('Projects, including archived ones', 500),
    environments: count('Environments', 50),
    features: count('Active features', 100_000),
    segments: count('Segments in all projects', 300),
    apiTokens: count('API tokens that are not revoked', 2_000),
    writesPerMinute: Nullable(
      count('Writes per minute that one caller may make on average. null: no limit', 600),
    ),
    writeBurst: Nullable(
      count('Writes that one caller may make in a burst after a pause. null: no limit', 1_000),
    ),
  }),
  deliveries: NamedObject('DeliverySchedule', 'When deliveries to integrations are retried', {
    attempts: Type.Integer({
      minimum: 1,
      description: 'Number of attempts before a delivery is exhausted',
      examples: [10],
    }),
    waitSeconds: Type.Array(Type.Number({ minimum: 0 }), {
      description: 'Seconds to wait before each attempt, counted from the previous attempt. The first is 0',
      examples: [[0, 5, 300, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400]],
    }),
    disableAfterHours: Nullable.Integer({
      minimum: 1,
      description: 'Hours of failures after which an integration is disabled. null: never',
      examples: [120],
    }),
  }),
  login: NamedObject('InstanceLogin', 'The enabled login methods', {
    password: Type.Boolean({ description: 'Whether users can log in with a password', examples: [true] }),
    singleSignOn: Type.Boolean({ description: 'Whether single sign-on is enabled', examples: [false] }),
  }),
  mail: Type.Boolean({
    description:
      'Whether the server sends email. Halyard sends none: it returns invitation and password links to the caller',
    examples: [false],
  }),
  eventRetentionDays: Nullable.Integer({
    minimum: 1,
    description: 'Days after which events are deleted. null: never',
    examples: [null],
  }),
  postgresVersion: Optional.String({
    description: 'PostgreSQL version, returned only to root admins',
    examples: ['17.6'],
  }),
});
export type Instance = Static<typeof Instance>;
