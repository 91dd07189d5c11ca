type Variant = { name: string; payload?: { type: string; value: string }; [field: string]: unknown };
type Strategy = { segments?: number[]; variants?: Variant[]; [field: string]: unknown };

/** A flag as SDKs get it. */
export type Document = {
  name: string;
  project?: string;
  enabled?: boolean;
  strategies?: Strategy[];
  variants?: Variant[];
  [field: string]: unknown;
};
export type Segment = { id: number; [field: string]: unknown };

/** What an SDK reads from a server. */
export type Flags = { features: Document[]; segments: Segment[] };

/** What a developer has set instead of the server's flag. */
export type Override = boolean | { variant: string; payload?: string };
export type Overrides = Record<string, Override>;

export function readFlags(body: unknown): Flags | undefined {
  const { features, segments = [] } = Object(body) as Partial<Flags>;
  const isNamed = (one: unknown) => typeof (one as Document | null)?.name === 'string';
  const hasId = (one: unknown) => Number.isInteger((one as Segment | null)?.id);
  if (!Array.isArray(features) || !features.every(isNamed)) return undefined;
  if (!Array.isArray(segments) || !segments.every(hasId)) return undefined;
  return { features, segments };
}

export const variantsOf = ({ variants = [], strategies = [] }: Document): Variant[] => [
  ...variants,
  ...strategies.flatMap(strategy => strategy.variants ?? []),
];

/** The flag with the override for everybody. A flag that the server does not have is created. */
export function overridden(document: Document, override: Override): Document {
  if (override === false) return { ...document, enabled: false };
  const on = {
    ...document,
    enabled: true,
    strategies: [{ name: 'default', parameters: {} }],
    dependencies: [],
  };
  if (override === true) return on;
  const { variant: name, payload } = override;
  const known = variantsOf(document).find(variant => variant.name === name);
  return {
    ...on,
    variants: [
      {
        stickiness: 'default',
        ...known,
        name,
        overrides: [],
        weight: 1000,
        weightType: 'variable',
        ...(payload !== undefined && {
          payload: { type: known?.payload?.type ?? 'string', value: payload },
        }),
      },
    ],
  };
}

/** The flags with the overrides, by name. */
export function withOverrides({ features }: Flags, overrides: Overrides): Map<string, Document> {
  const all = new Map(features.map(document => [document.name, document]));
  for (const [name, override] of Object.entries(overrides))
    all.set(
      name,
      overridden(all.get(name) ?? { name, type: 'release', project: 'default', variants: [] }, override),
    );
  return all;
}
