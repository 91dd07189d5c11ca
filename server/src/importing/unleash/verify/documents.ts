import { fetchJson } from '../../reading/fetch-json.ts';
import { SourceError } from '../../reading/source-error.ts';

/** A constraint, strategy and flag as SDKs get them. */
type Constraint = {
  contextName: string;
  operator: string;
  values?: string[];
  value?: string;
  inverted?: boolean;
  caseInsensitive?: boolean;
};
type Strategy = {
  name: string;
  parameters?: Record<string, unknown>;
  constraints?: Constraint[];
  segments?: number[];
  variants?: object[];
};
export type FlagDocument = {
  name: string;
  enabled: boolean;
  type?: string;
  project?: string;
  stale?: boolean;
  impressionData?: boolean;
  strategies?: Strategy[];
  variants?: object[];
  dependencies?: { feature: string; enabled?: boolean; variants?: string[] }[];
};
type Segment = { id: number; constraints?: Constraint[] };

/** Everything that one token gets. */
export type Flags = { features: Map<string, FlagDocument>; segments: Map<number, Segment> };

const TIMEOUT_SECONDS = 30;
/** The specification version that lets a server send segments once instead of in each strategy. */
const SPECIFICATION = '5.2.0';

/** What a server returns to an SDK with this token, or the status with which it rejects the token. */
export async function fetchFlags(product: string, url: string, token: string): Promise<Flags | number> {
  const address = new URL('api/client/features', url.endsWith('/') ? url : `${url}/`);
  const { status, body } = await fetchJson(address, {
    product,
    headers: {
      authorization: token,
      'unleash-client-spec': SPECIFICATION,
      'unleash-appname': 'halyard-import-verify',
    },
    timeoutSeconds: TIMEOUT_SECONDS,
  });
  if (body === undefined) return status;
  const { features, segments = [] } = body as { features?: FlagDocument[]; segments?: Segment[] };
  if (!Array.isArray(features) || !Array.isArray(segments))
    throw new SourceError(`${product} responded to ${address} without flags. Check the URL.`);
  return {
    features: new Map(features.map(one => [one.name, one])),
    segments: new Map(segments.map(one => [one.id, one])),
  };
}

/** One difference between two versions of a flag, in words. */
export type Difference = { feature: string; what: string };

const FIELDS = ['enabled', 'type', 'project', 'stale', 'impressionData'] as const;

/** Compares what SDKs read. Fields that no SDK evaluates, and equivalent forms, are not differences. */
export function compareFlags(there: Flags, here: Flags): Difference[] {
  const names = [...new Set([...there.features.keys(), ...here.features.keys()])].toSorted();
  return names.flatMap(feature => {
    const [a, b] = [there.features.get(feature), here.features.get(feature)];
    if (a === undefined) return [{ feature, what: 'only Halyard has it' }];
    if (b === undefined) return [{ feature, what: 'only Unleash has it' }];
    return [...differencesOf(a, there, b, here)].map(what => ({ feature, what }));
  });
}

function* differencesOf(a: FlagDocument, there: Flags, b: FlagDocument, here: Flags): Generator<string> {
  for (const field of FIELDS)
    if ((a[field] ?? false) !== (b[field] ?? false))
      yield `${field} is ${a[field]} in Unleash and ${b[field]} in Halyard`;
  const [left, right] = [strategiesOf(a, there), strategiesOf(b, here)];
  if (left.length !== right.length)
    yield `${left.length} strategies in Unleash and ${right.length} in Halyard`;
  else if (text(left) !== text(right)) {
    const sameSet = text(left.map(text).toSorted()) === text(right.map(text).toSorted());
    if (sameSet) yield 'the order of its strategies';
    else
      for (const [at, one] of left.entries())
        for (const part of ['name', 'parameters', 'constraints', 'segments', 'variants'] as const)
          if (text(one[part]) !== text(right[at]?.[part])) yield `${part} of strategy ${at + 1}`;
  }
  if (text(variantsOf(a.variants)) !== text(variantsOf(b.variants))) yield 'its variants';
  if (text(parentsOf(a)) !== text(parentsOf(b))) yield 'its dependencies';
}

/** An enabled flag without strategies is enabled for everyone, like one with the strategy `default`. */
function strategiesOf({ enabled, strategies = [] }: FlagDocument, { segments }: Flags) {
  if (enabled && strategies.length === 0)
    return [{ name: 'default', parameters: {}, constraints: [], segments: [], variants: [] }];
  return strategies.map(one => ({
    name: one.name,
    parameters: Object.fromEntries(
      Object.entries(one.parameters ?? {}).map(([name, value]) => [name, String(value)]),
    ),
    constraints: (one.constraints ?? []).map(constraintOf),
    segments: (one.segments ?? [])
      .map(id => text((segments.get(id)?.constraints ?? []).map(constraintOf)))
      .toSorted(),
    variants: variantsOf(one.variants),
  }));
}

const constraintOf = ({
  contextName,
  operator,
  values = [],
  value,
  inverted,
  caseInsensitive,
}: Constraint) => ({
  contextName,
  operator,
  values,
  value: value || null,
  inverted: inverted ?? false,
  caseInsensitive: caseInsensitive ?? false,
});

const variantsOf = (variants: object[] = []): object[] =>
  variants.map(one =>
    Object.fromEntries(Object.entries(one).filter(([name, value]) => !isEmpty(name, value))),
  );

const isEmpty = (name: string, value: unknown): boolean =>
  value === null || (name === 'overrides' && Array.isArray(value) && value.length === 0);

/** Some versions of Unleash repeat a parent for each strategy. */
const parentsOf = ({ dependencies = [] }: FlagDocument): string[] => [
  ...new Set(
    dependencies
      .map(({ feature, enabled = true, variants = [] }) => text({ feature, enabled, variants }))
      .toSorted(),
  ),
];

function text(value: unknown): string {
  return JSON.stringify(value, (_, member) =>
    typeof member === 'object' && member !== null && !Array.isArray(member)
      ? Object.fromEntries(Object.entries(member).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : member,
  );
}
