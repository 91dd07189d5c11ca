import { type Static, Type } from 'typebox';
import { Compile } from 'typebox/compile';
import { badData } from '../platform/errors.ts';
import { NamedObject, Optional, SharedObject } from '../platform/http/schema.ts';

/** Client rows in one report. */
export const MAX_SIGHTINGS = 500;
/** Features and variants in one batch. With names of 40 characters that is about a megabyte. */
export const MAX_BATCH_KEYS = 10_000;
export const MAX_BATCH_INSTANCES = 5_000;

const text = (description: string, options = {}) => Type.String({ maxLength: 200, description, ...options });
const safeInteger = (description: string) =>
  Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER, description });
const int4 = (description: string) => Type.Integer({ minimum: 0, maximum: 2_147_483_647, description });
const tokenId = () => int4('Id of the API token that the SDK uses');
const application = () => text('Name of the application');

/** One instance of an SDK, and the revision that it has presented to the edge. */
const ClientSighting = NamedObject('EdgeClient', {
  token: tokenId(),
  id: text('Connection id, chosen by the SDK', { minLength: 1, maxLength: 100 }),
  application: Type.Optional(application()),
  instance: Type.Optional(text('Id of the instance')),
  epoch: text('Epoch of the revision', { maxLength: 50 }),
  revision: int4('The revision that it presented'),
  isExact: Type.Boolean({ description: 'Whether it has exactly this revision, even if it had a later one' }),
  isStreaming: Type.Boolean({ description: 'Whether it has an open stream' }),
  interval: Type.Integer({ minimum: 0, maximum: 3_600, description: 'Seconds between its polls' }),
  age: Type.Number({ minimum: 0, maximum: 1e9, description: 'Seconds since it presented the revision' }),
});

const Bucket = NamedObject('EdgeMetricsBucket', {
  token: tokenId(),
  application: application(),
  hour: int4('Hours since 1970'),
  features: Type.Array(
    NamedObject('EdgeMetricsFeature', {
      name: text('Name of the feature'),
      yes: safeInteger('How often it was on'),
      no: safeInteger('How often it was off'),
      seenAt: safeInteger('When it was last evaluated, in milliseconds since 1970'),
      variants: Type.Optional(
        Type.Record(Type.String({ maxLength: 200 }), safeInteger('Number of times'), {
          maxProperties: MAX_BATCH_KEYS,
          propertyNames: { maxLength: 200 },
          description: 'How often each variant was used',
        }),
      ),
    }),
    { maxItems: MAX_BATCH_KEYS, description: 'The features that the application evaluated in this hour' },
  ),
});

const Instance = NamedObject('EdgeInstance', {
  token: tokenId(),
  application: application(),
  instanceId: text('Id of the instance'),
  sdkVersion: Type.Union([Type.String({ maxLength: 200 }), Type.Null()], {
    description: 'Name and version of the SDK',
  }),
  isFrontend: Type.Boolean({ description: 'Whether it runs in browsers or apps' }),
  strategies: Optional.Array(Type.String({ maxLength: 200 }), {
    maxItems: 100,
    description: 'The strategy types that the SDK supports',
  }),
  seenAt: safeInteger('When it was last seen, in milliseconds since 1970'),
});

const Batch = NamedObject(
  'EdgeMetricsBatch',
  'A batch of counts that no longer changes. The edge sends it with the same sequence number until a server accepts it, and it is counted once',
  {
    sequence: Type.Integer({ minimum: 1, maximum: 2_147_483_647, description: 'Number of the batch' }),
    buckets: Type.Array(Bucket, {
      maxItems: MAX_BATCH_KEYS,
      description: 'Evaluations by application and hour',
    }),
    instances: Type.Array(Instance, { maxItems: MAX_BATCH_INSTANCES, description: 'Registrations of SDKs' }),
  },
);
export type ReportBatch = Static<typeof Batch>;

export const EdgeReport = SharedObject('EdgeReport', {
  edge: Type.String({
    pattern: '^[0-9a-f-]{36}$',
    maxLength: 36,
    description: 'The id that the edge chose when it first started',
    examples: ['7c9e6679-7425-40de-944b-e07fc1f90ae7'],
  }),
  version: Type.String({ maxLength: 50, description: 'Version of the edge', examples: ['0.1.0'] }),
  epoch: Type.String({ maxLength: 50, description: 'Epoch of the revision', examples: ['0d3c9fb2a1'] }),
  revision: Type.Integer({
    minimum: 0,
    maximum: 2_147_483_647,
    description: 'The revision that it serves',
  }),
  age: Type.Number({
    minimum: 0,
    maximum: 1e9,
    description: 'Seconds since the edge last confirmed that this revision is current',
  }),
  clients: Type.Integer({
    minimum: 0,
    maximum: 1e9,
    description: 'Number of SDK instances that it has seen',
  }),
  isIgnoring: Type.Boolean({ description: 'Whether the edge had no room for another instance' }),
  isStopping: Type.Boolean({ description: 'Whether this is its last report' }),
  heard: Type.Array(ClientSighting, {
    maxItems: MAX_SIGHTINGS,
    description: 'Instances of SDKs that presented a revision since the last report',
  }),
  requests: Type.Array(
    NamedObject('EdgeRequests', {
      environment: text('The environment'),
      revision: int4('The revision that was evaluated'),
      requests: safeInteger('Number of evaluations'),
    }),
    {
      maxItems: 1_000,
      description: 'Number of evaluations for browsers, by revision',
    },
  ),
  uses: Type.Array(int4('Id of a token'), {
    maxItems: 20_000,
    description: 'Ids of tokens that were used',
  }),
  batch: Type.Optional(Batch),
});
export type EdgeReport = Static<typeof EdgeReport>;

export const EdgeReportResult = SharedObject('EdgeReportResult', {
  missing: Type.Array(
    NamedObject('EdgeUnknownClient', {
      token: Type.Integer({ description: 'Id of the API token' }),
      id: Type.String({ description: 'Id of the connection' }),
    }),
    {
      description:
        'Instances that the report did not name and the server does not know. The edge forgets them',
    },
  ),
  questions: Type.Array(
    NamedObject('EdgeQuestion', {
      environment: Type.String({ description: 'The environment' }),
      revision: Type.Integer({ description: 'The revision' }),
    }),
    {
      description:
        'Revisions that a caller is waiting for. The edge makes its clients reconnect to learn which revisions they have',
    },
  ),
});
export type EdgeReportResult = Static<typeof EdgeReportResult>;

const validator = Compile(EdgeReport);

/** Rejects with 400 anything that is not a report, and ignores fields that this version does not know. */
export function readReport(body: unknown): EdgeReport {
  if (!validator.Check(body)) {
    const [first] = validator.Errors(body);
    throw badData([
      {
        message: `${first?.message ?? 'The body is not a report'}`,
        path: `/body${first?.instancePath ?? ''}`,
      },
    ]);
  }
  const keys = countKeys(body.batch);
  if (keys > MAX_BATCH_KEYS)
    throw badData([
      {
        message: `batch must have at most ${MAX_BATCH_KEYS} buckets, features and variants, not ${keys}`,
        path: '/body/batch',
      },
    ]);
  return body;
}

/** Each list has its own limit, but the number of rows to write is the product of their lengths. */
function countKeys(batch: ReportBatch | undefined): number {
  let keys = 0;
  for (const { features } of batch?.buckets ?? []) {
    keys += 1 + features.length;
    for (const { variants } of features) if (variants) keys += Object.keys(variants).length;
  }
  return keys;
}
