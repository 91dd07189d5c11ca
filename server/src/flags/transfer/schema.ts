import {
  NamedObject,
  Nullable,
  Optional,
  SharedObject,
  TextMap,
} from '@halyard/plane/platform/http/schema.ts';
import { type Static, Type } from 'typebox';
import { ConstraintInput } from '../../targeting/constraints/schema.ts';
import { NewContextField } from '../../targeting/context/schema.ts';
import { StrategyVariantInput, VariantInput } from '../../targeting/variants/schema.ts';
import { featureName } from '../feature-rows/schema.ts';
import { NewTagType } from '../tags/schema.ts';

/** The maximum number of features in one export or import, which bounds the cost of a request. */
export const MAX_FEATURES = 1_000;
/** Import limits for the parts of features, sized for ten per feature. */
const MAX_STRATEGIES = 10_000;
const MAX_TAGS = 10_000;
const MAX_TAG_TYPES = 1_000;
const MAX_CONTEXT_FIELDS = 1_000;
const MAX_SEGMENTS = 10_000;

const text = (maxLength: number, description?: string) =>
  Type.String({ maxLength, ...(description && { description }) });
const withUnknownFields = { additionalProperties: true };

/** The fields that an import reads. It ignores other fields, which exports from other systems may contain. */
export const FeatureExport = SharedObject('FeatureExport', 'The exported features, and what they refer to', {
  features: Type.Array(
    NamedObject(
      'ExportedFeature',
      {
        name: featureName,
        type: Optional.String({
          description: 'Id of the feature type',
          minLength: 1,
          maxLength: 100,
          examples: ['release'],
        }),
        description: Type.Optional(Nullable(text(4_000, 'What the feature does'))),
        impressionData: Type.Optional(
          Nullable(
            Type.Boolean({
              description: 'Whether SDKs raise an event each time the feature is evaluated',
            }),
          ),
        ),
        stale: Optional.Boolean({ description: 'Whether the feature is marked as stale' }),
      },
      { description: 'A feature', ...withUnknownFields },
    ),
    { maxItems: MAX_FEATURES },
  ),
  featureStrategies: Type.Array(
    NamedObject(
      'ExportedStrategy',
      {
        featureName,
        name: Type.String({
          description: 'Strategy type',
          minLength: 1,
          maxLength: 100,
          examples: ['flexibleRollout'],
        }),
        title: Type.Optional(Nullable(text(500, 'What the strategy is for, as the console shows it'))),
        disabled: Type.Optional(
          Nullable(
            Type.Boolean({
              description: 'Whether the strategy is disabled. SDKs do not get disabled strategies',
            }),
          ),
        ),
        sortOrder: Type.Optional(
          Nullable.Integer({
            description: 'Position in lists, lowest first',
            minimum: 0,
            maximum: 100_000,
          }),
        ),
        parameters: Type.Optional(
          TextMap(100_000, { description: 'Parameters of the strategy type, all of them strings' }),
        ),
        constraints: Optional.Array(ConstraintInput, { maxItems: 30 }),
        variants: Optional.Array(StrategyVariantInput, { maxItems: 100 }),
        segments: Optional.Array(Type.Integer({ minimum: 1 }), {
          description: 'Ids of the segments, all of which must match',
          maxItems: 5,
        }),
      },
      withUnknownFields,
    ),
    {
      maxItems: MAX_STRATEGIES,
      description: 'Strategies in the exported environment, in evaluation order',
    },
  ),
  featureEnvironments: Optional.Array(
    NamedObject(
      'ExportedFeatureEnvironment',
      {
        featureName,
        enabled: Type.Boolean({ description: 'Whether the feature is enabled in the environment' }),
        variants: Optional.Array(VariantInput, { maxItems: 100 }),
      },
      { description: 'A feature in the exported environment', ...withUnknownFields },
    ),
    { maxItems: MAX_FEATURES },
  ),
  featureTags: Optional.Array(
    NamedObject(
      'ExportedFeatureTag',
      {
        featureName,
        tagType: text(50, 'Name of the tag type'),
        tagValue: Type.String({ description: 'Value of the tag', minLength: 2, maxLength: 50 }),
      },
      { description: 'A tag of a feature', ...withUnknownFields },
    ),
    { maxItems: MAX_TAGS },
  ),
  tagTypes: Optional.Array(
    NamedObject(
      'ExportedTagType',
      { ...NewTagType.properties },
      { description: 'A tag type', ...withUnknownFields },
    ),
    {
      maxItems: MAX_TAG_TYPES,
    },
  ),
  contextFields: Optional.Array(
    NamedObject(
      'ExportedContextField',
      { ...NewContextField.properties },
      { description: 'A context field', ...withUnknownFields },
    ),
    {
      maxItems: MAX_CONTEXT_FIELDS,
    },
  ),
  segments: Optional.Array(
    NamedObject(
      'ExportedSegment',
      {
        id: Type.Integer({ description: 'Id of the segment' }),
        name: Type.String({ description: 'Name of the segment', minLength: 1, maxLength: 200 }),
      },
      withUnknownFields,
    ),
    {
      maxItems: MAX_SEGMENTS,
      description:
        'Names of the segments that strategies refer to by id. An import looks segments up by name.',
    },
  ),
  dependencies: Optional.Array(
    NamedObject(
      'ExportedDependencies',
      {
        feature: featureName,
        dependencies: Type.Array(
          NamedObject(
            'ExportedDependency',
            {
              feature: featureName,
              enabled: Optional.Boolean({
                description: 'true: the parent must be enabled; false: it must be disabled',
              }),
              variants: Optional.Array(text(100), {
                description: 'The parent must serve one of these variants. Empty: any variant',
                maxItems: 100,
              }),
            },
            { description: 'A parent, and the state it must be in', ...withUnknownFields },
          ),
          { maxItems: 100 },
        ),
      },
      { description: 'The parents of a feature', ...withUnknownFields },
    ),
    { maxItems: MAX_FEATURES },
  ),
  links: Optional.Array(
    NamedObject(
      'ExportedLinks',
      {
        feature: featureName,
        links: Type.Array(
          NamedObject(
            'ExportedLink',
            {
              url: text(2_000, 'URL of the link'),
              title: Type.Optional(Nullable(text(200, 'Title of the link'))),
            },
            { description: 'A link', ...withUnknownFields },
          ),
          { maxItems: 10 },
        ),
      },
      { description: 'The links of a feature', ...withUnknownFields },
    ),
    { maxItems: MAX_FEATURES },
  ),
});
export type FeatureExport = Static<typeof FeatureExport>;

const environment = Type.String({
  description: 'The environment to export from, or to import into',
  minLength: 1,
  maxLength: 100,
  examples: ['production'],
});

export const ExportQuery = NamedObject(
  'ExportRequest',
  {
    environment,
    features: Optional.Array(Type.String({ minLength: 1, maxLength: 100 }), {
      description: 'Names of the features to export',
      minItems: 1,
      maxItems: MAX_FEATURES,
    }),
    project: Optional.String({ maxLength: 100, description: 'Export all features of the project' }),
    tag: Optional.String({ maxLength: 101, description: 'Export all features with this tag, as type:value' }),
    downloadFile: Optional.Boolean({
      description: 'true: the response has a Content-Disposition header, so that browsers save it as a file',
    }),
  },
  { examples: [{ features: ['checkout-v2'], environment: 'production' }] },
);
export type ExportQuery = Static<typeof ExportQuery>;

export const ImportRequest = NamedObject(
  'ImportRequest',
  {
    project: Type.String({ description: 'Id of the project to import into', minLength: 1, maxLength: 100 }),
    environment,
    data: FeatureExport,
  },
  {
    examples: [
      {
        project: 'default',
        environment: 'production',
        data: { features: [{ name: 'checkout-v2' }], featureStrategies: [] },
      },
    ],
  },
);
export type ImportRequest = Static<typeof ImportRequest>;

const finding = NamedObject('ImportFinding', {
  message: Type.String({
    description: 'The error or warning',
    examples: ['These strategy types do not exist'],
  }),
  affectedItems: Type.Array(Type.String(), {
    description: 'Names of the affected items',
    examples: [['my-strategy']],
  }),
});
export type Finding = Static<typeof finding>;

const names = (description: string) =>
  Type.Array(Type.String(), { description, examples: [['checkout-v2']] });

export const ImportReport = SharedObject('ImportReport', {
  errors: Type.Array(finding, { description: 'Why the import would be rejected' }),
  warnings: Type.Array(finding, { description: 'Effects of the import that may be unexpected' }),
  permissions: Type.Array(finding, { description: 'Permissions that the caller lacks' }),
  effect: NamedObject('ImportEffect', 'What the import would do if it had no errors', {
    created: names('Features that the import creates'),
    overwritten: names('Existing features that the import overwrites'),
    leftOut: names('Archived features, which do not change'),
    contextFields: names('Context fields that the import creates'),
    tagTypes: names('Tag types that the import creates'),
  }),
});
export type ImportReport = Static<typeof ImportReport>;
