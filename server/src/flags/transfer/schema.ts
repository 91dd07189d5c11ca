import { type Static, Type } from 'typebox';
import { Named, NamedObject, Nullable, TextMap, UrlName } from '../../platform/http/schema.ts';
import { ConstraintInput } from '../../targeting/constraints/schema.ts';
import { NewContextField } from '../../targeting/context/schema.ts';
import { StrategyVariantInput, VariantInput } from '../../targeting/variants/schema.ts';
import { NewTagType } from '../tags/schema.ts';

/** Maximum number of features of one export or import, to bound the cost of a request. */
export const MAX_FEATURES = 1_000;
/** Limits of an import: ten for each feature, for parts of which a feature can have several. */
const MAX_STRATEGIES = 10_000;
const MAX_TAGS = 10_000;
const MAX_TAG_TYPES = 1_000;
const MAX_CONTEXT_FIELDS = 1_000;
const MAX_SEGMENTS = 10_000;

const featureName = UrlName({ examples: ['checkout-v2'] });
const text = (maxLength: number) => Type.String({ maxLength });
const withUnknownFields = { additionalProperties: true };

/** The fields that an import reads. It ignores other fields in an export of another system. */
export const FeatureExport = Named(
  'FeatureExport',
  Type.Object({
    features: Type.Array(
      NamedObject(
        'ExportedFeature',
        {
          name: featureName,
          type: Type.Optional(Type.String({ minLength: 1, maxLength: 100, examples: ['release'] })),
          description: Type.Optional(Nullable(text(4_000))),
          impressionData: Type.Optional(Nullable(Type.Boolean())),
          stale: Type.Optional(Type.Boolean()),
        },
        withUnknownFields,
      ),
      { maxItems: MAX_FEATURES },
    ),
    featureStrategies: Type.Array(
      NamedObject(
        'ExportedStrategy',
        {
          featureName,
          name: Type.String({ minLength: 1, maxLength: 100, examples: ['flexibleRollout'] }),
          title: Type.Optional(Nullable(text(500))),
          disabled: Type.Optional(Nullable(Type.Boolean())),
          sortOrder: Type.Optional(Nullable(Type.Integer({ minimum: 0, maximum: 100_000 }))),
          parameters: Type.Optional(TextMap(100_000)),
          constraints: Type.Optional(Type.Array(ConstraintInput, { maxItems: 30 })),
          variants: Type.Optional(Type.Array(StrategyVariantInput, { maxItems: 100 })),
          segments: Type.Optional(Type.Array(Type.Integer({ minimum: 1 }), { maxItems: 5 })),
        },
        withUnknownFields,
      ),
      { maxItems: MAX_STRATEGIES, description: 'Strategies in the exported environment, in order' },
    ),
    featureEnvironments: Type.Optional(
      Type.Array(
        NamedObject(
          'ExportedFeatureEnvironment',
          {
            featureName,
            enabled: Type.Boolean(),
            variants: Type.Optional(Type.Array(VariantInput, { maxItems: 100 })),
          },
          withUnknownFields,
        ),
        { maxItems: MAX_FEATURES },
      ),
    ),
    featureTags: Type.Optional(
      Type.Array(
        NamedObject(
          'ExportedFeatureTag',
          { featureName, tagType: text(50), tagValue: Type.String({ minLength: 2, maxLength: 50 }) },
          withUnknownFields,
        ),
        { maxItems: MAX_TAGS },
      ),
    ),
    tagTypes: Type.Optional(
      Type.Array(NamedObject('ExportedTagType', { ...NewTagType.properties }, withUnknownFields), {
        maxItems: MAX_TAG_TYPES,
      }),
    ),
    contextFields: Type.Optional(
      Type.Array(NamedObject('ExportedContextField', { ...NewContextField.properties }, withUnknownFields), {
        maxItems: MAX_CONTEXT_FIELDS,
      }),
    ),
    segments: Type.Optional(
      Type.Array(
        NamedObject(
          'ExportedSegment',
          { id: Type.Integer(), name: Type.String({ minLength: 1, maxLength: 200 }) },
          withUnknownFields,
        ),
        {
          maxItems: MAX_SEGMENTS,
          description:
            'Names of the segments that strategies refer to by id. An import looks segments up by name.',
        },
      ),
    ),
    dependencies: Type.Optional(
      Type.Array(
        NamedObject(
          'ExportedDependencies',
          {
            feature: featureName,
            dependencies: Type.Array(
              NamedObject(
                'ExportedDependency',
                {
                  feature: featureName,
                  enabled: Type.Optional(Type.Boolean()),
                  variants: Type.Optional(Type.Array(text(100), { maxItems: 100 })),
                },
                withUnknownFields,
              ),
              { maxItems: 100 },
            ),
          },
          withUnknownFields,
        ),
        { maxItems: MAX_FEATURES },
      ),
    ),
    links: Type.Optional(
      Type.Array(
        NamedObject(
          'ExportedLinks',
          {
            feature: featureName,
            links: Type.Array(
              NamedObject(
                'ExportedLink',
                { url: text(2_000), title: Type.Optional(Nullable(text(200))) },
                withUnknownFields,
              ),
              { maxItems: 10 },
            ),
          },
          withUnknownFields,
        ),
        { maxItems: MAX_FEATURES },
      ),
    ),
  }),
);
export type FeatureExport = Static<typeof FeatureExport>;

const environment = Type.String({ minLength: 1, maxLength: 100, examples: ['production'] });

export const ExportQuery = NamedObject(
  'ExportRequest',
  {
    environment,
    features: Type.Optional(
      Type.Array(Type.String({ minLength: 1, maxLength: 100 }), { minItems: 1, maxItems: MAX_FEATURES }),
    ),
    project: Type.Optional(
      Type.String({ maxLength: 100, description: 'Export all features of the project' }),
    ),
    tag: Type.Optional(
      Type.String({ maxLength: 101, description: 'Export all features with this tag, as type:value' }),
    ),
    downloadFile: Type.Optional(
      Type.Boolean({
        description:
          'true: the response has a Content-Disposition header, so that browsers save it as a file',
      }),
    ),
  },
  { examples: [{ features: ['checkout-v2'], environment: 'production' }] },
);
export type ExportQuery = Static<typeof ExportQuery>;

export const ImportRequest = NamedObject(
  'ImportRequest',
  { project: Type.String({ minLength: 1, maxLength: 100 }), environment, data: FeatureExport },
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
  message: Type.String({ examples: ['These strategy types do not exist'] }),
  affectedItems: Type.Array(Type.String(), { examples: [['my-strategy']] }),
});
export type Finding = Static<typeof finding>;

const names = (description: string) =>
  Type.Array(Type.String(), { description, examples: [['checkout-v2']] });

export const ImportReport = Named(
  'ImportReport',
  Type.Object({
    errors: Type.Array(finding, { description: 'Reasons for which the import would be rejected' }),
    warnings: Type.Array(finding, { description: 'Effects of the import that may be unexpected' }),
    permissions: Type.Array(finding, { description: 'Permissions that the caller lacks' }),
    effect: NamedObject(
      'ImportEffect',
      {
        created: names('Features that the import creates'),
        overwritten: names('Features that exist and get the state of the data'),
        leftOut: names('Archived features, which do not change'),
        contextFields: names('Context fields that the import creates'),
        tagTypes: names('Tag types that the import creates'),
      },
      { description: 'What the import would do, if it had no errors' },
    ),
  }),
);
export type ImportReport = Static<typeof ImportReport>;
