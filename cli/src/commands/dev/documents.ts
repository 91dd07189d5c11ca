type Variant = { name: string; payload?: { type: string; value: string }; [field: string]: unknown };
type Strategy = { segments?: number[]; variants?: Variant[]; [field: string]: unknown };

/** A flag as SDKs receive it. */
export type Document = {
  name: string;
  project?: string;
  enabled?: boolean;
  strategies?: Strategy[];
  variants?: Variant[];
  [field: string]: unknown;
};
export type Segment = { id: number; [field: string]: unknown };

/** The response that an SDK reads from a server. */
export type Flags = { features: Document[]; segments: Segment[] };

/** A state that a developer has set, which replaces the server's state. */
export type Override = boolean | { variant: string; payload?: string };
export type Overrides = Record<string, Override>;

export function readFlags(body: unknown): Flags | undefined {
  const { features, segments = [] } = Object(body) as Partial<Flags>;
  const hasName = (value: unknown) => typeof (value as Document | null)?.name === 'string';
  const hasId = (value: unknown) => Number.isInteger((value as Segment | null)?.id);
  if (!Array.isArray(features) || !features.every(hasName)) return undefined;
  if (!Array.isArray(segments) || !segments.every(hasId)) return undefined;
  return { features, segments };
}

export const listVariants = ({ variants = [], strategies = [] }: Document): Variant[] => [
  ...variants,
  ...strategies.flatMap(strategy => strategy.variants ?? []),
];

/** Applies an override to a flag, for everybody. */
export function withOverride(document: Document, override: Override): Document {
  if (override === false) return { ...document, enabled: false };
  const enabledDocument = {
    ...document,
    enabled: true,
    strategies: [{ name: 'default', parameters: {} }],
    dependencies: [],
  };
  if (override === true) return enabledDocument;
  const { variant: name, payload } = override;
  const existingVariant = listVariants(document).find(variant => variant.name === name);
  return {
    ...enabledDocument,
    variants: [
      {
        stickiness: 'default',
        ...existingVariant,
        name,
        overrides: [],
        weight: 1000,
        weightType: 'variable',
        ...(payload !== undefined && {
          payload: { type: existingVariant?.payload?.type ?? 'string', value: payload },
        }),
      },
    ],
  };
}

/** Applies the overrides to the flags, and creates flags that the server does not have. */
export function withOverrides({ features }: Flags, overrides: Overrides): Map<string, Document> {
  const documents = new Map(features.map(document => [document.name, document]));
  for (const [name, override] of Object.entries(overrides))
    documents.set(
      name,
      withOverride(
        documents.get(name) ?? {
          name,
          type: 'release',
          project: 'default',
          strategies: [],
          variants: [],
          dependencies: [],
        },
        override,
      ),
    );
  return documents;
}
