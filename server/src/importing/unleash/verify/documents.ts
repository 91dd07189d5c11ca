import { fetchJson } from '../../reading/fetch-json.ts';
import { SourceError } from '../../reading/source-error.ts';

/** A constraint, strategy and flag as SDKs receive them. */
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

/** Everything that a server returns to an SDK with one token. */
export type Flags = { features: Map<string, FlagDocument>; segments: Map<number, Segment> };

const TIMEOUT_SECONDS = 30;
/** Statuses that concern the token rather than the URL or the server. */
const TOKEN_REJECTIONS = [401, 403];
/** From this specification version on, servers send each segment once instead of repeating it in every strategy. */
const SPECIFICATION_VERSION = '5.2.0';

/** Fetches what a server returns to an SDK with this token, or the status if it rejects the token. */
export async function fetchFlags(product: string, url: string, token: string): Promise<Flags | number> {
  const requestUrl = new URL('api/client/features', url.endsWith('/') ? url : `${url}/`);
  const { status, body } = await fetchJson(requestUrl, {
    product,
    headers: {
      authorization: token,
      'unleash-client-spec': SPECIFICATION_VERSION,
      'unleash-appname': 'halyard-import-verify',
    },
    timeoutSeconds: TIMEOUT_SECONDS,
  });
  if (TOKEN_REJECTIONS.includes(status)) return status;
  if (body === undefined)
    throw new SourceError(`${product} responded with ${status} to ${requestUrl}. Check the URL.`);
  const { features, segments = [] } = body as { features?: FlagDocument[]; segments?: Segment[] };
  if (!Array.isArray(features) || !Array.isArray(segments))
    throw new SourceError(`${product} responded to ${requestUrl} without flags. Check the URL.`);
  return {
    features: new Map(features.map(feature => [feature.name, feature])),
    segments: new Map(segments.map(segment => [segment.id, segment])),
  };
}

/**
 * A difference that was found with a token. Problems with the same text count as the same difference, even if their details, such as
 * the evaluated context, differ.
 */
export type TokenDifference = { text: string; detail?: string };

/** Compares two responses, at least one of which is the status of an error. */
export function compareStatus(
  unleashResponse: object | number,
  halyardResponse: object | number,
): { problems: TokenDifference[]; rejectedWith?: number } {
  const [a, b] = [unleashResponse, halyardResponse].map(response =>
    typeof response === 'number' ? response : 200,
  ) as [number, number];
  if (a !== b) return { problems: [{ text: `Unleash responds with ${a} and Halyard with ${b}` }] };
  if (TOKEN_REJECTIONS.includes(a)) return { problems: [], rejectedWith: a };
  return { problems: [{ text: `both servers respond with ${a}; check the URLs` }] };
}

/** A difference between two versions of a flag, in words. */
export type Difference = { feature: string; description: string; detail?: string };

const FIELDS = ['enabled', 'type', 'project', 'stale', 'impressionData'] as const;

/** Compares what SDKs read. Fields that no SDK evaluates, and equivalent forms, are not differences. */
export function compareFlags(unleashFlags: Flags, halyardFlags: Flags): Difference[] {
  const names = [...new Set([...unleashFlags.features.keys(), ...halyardFlags.features.keys()])].toSorted();
  return names.flatMap(feature => {
    const [a, b] = [unleashFlags.features.get(feature), halyardFlags.features.get(feature)];
    if (a === undefined) return [{ feature, description: 'missing in Unleash' }];
    if (b === undefined) return [{ feature, description: 'missing in Halyard' }];
    return [...findDifferences(a, unleashFlags, b, halyardFlags)].map(description => ({
      feature,
      description,
    }));
  });
}

function* findDifferences(
  a: FlagDocument,
  unleashFlags: Flags,
  b: FlagDocument,
  halyardFlags: Flags,
): Generator<string> {
  for (const field of FIELDS)
    if ((a[field] ?? false) !== (b[field] ?? false))
      yield `${field} is ${a[field]} in Unleash and ${b[field]} in Halyard`;
  const [left, right] = [normalizeStrategies(a, unleashFlags), normalizeStrategies(b, halyardFlags)];
  if (left.length !== right.length)
    yield `${left.length} ${left.length === 1 ? 'strategy' : 'strategies'} in Unleash and ${right.length} in Halyard`;
  else if (canonicalJson(left) !== canonicalJson(right)) {
    const hasSameStrategies =
      canonicalJson(left.map(canonicalJson).toSorted()) ===
      canonicalJson(right.map(canonicalJson).toSorted());
    if (hasSameStrategies) yield 'the order of its strategies';
    else
      for (const [index, strategy] of left.entries())
        for (const part of ['name', 'parameters', 'constraints', 'segments', 'variants'] as const)
          if (canonicalJson(strategy[part]) !== canonicalJson(right[index]?.[part]))
            yield `${part} of strategy ${index + 1}`;
  }
  if (canonicalJson(normalizeVariants(a.variants)) !== canonicalJson(normalizeVariants(b.variants)))
    yield 'its variants';
  if (canonicalJson(normalizeParents(a)) !== canonicalJson(normalizeParents(b))) yield 'its dependencies';
}

/**
 * Returns the strategies of a flag. An enabled flag without strategies is enabled for everyone, like one with the strategy
 * `default`.
 */
function normalizeStrategies({ enabled, strategies = [] }: FlagDocument, { segments }: Flags) {
  if (enabled && strategies.length === 0)
    return [{ name: 'default', parameters: {}, constraints: [], segments: [], variants: [] }];
  return strategies.map(strategy => ({
    name: strategy.name,
    parameters: Object.fromEntries(
      Object.entries(strategy.parameters ?? {}).map(([name, value]) => [name, String(value)]),
    ),
    constraints: (strategy.constraints ?? []).map(normalizeConstraint),
    segments: (strategy.segments ?? [])
      .map(id => canonicalJson((segments.get(id)?.constraints ?? []).map(normalizeConstraint)))
      .toSorted(),
    variants: normalizeVariants(strategy.variants),
  }));
}

const normalizeConstraint = ({
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

const normalizeVariants = (variants: object[] = []): object[] =>
  variants.map(variant =>
    Object.fromEntries(Object.entries(variant).filter(([name, value]) => !isEmpty(name, value))),
  );

const isEmpty = (name: string, value: unknown): boolean =>
  value === null || (name === 'overrides' && Array.isArray(value) && value.length === 0);

/** Returns each parent once, because some versions of Unleash repeat a parent for each strategy. */
const normalizeParents = ({ dependencies = [] }: FlagDocument): string[] => [
  ...new Set(
    dependencies
      .map(({ feature, enabled = true, variants = [] }) => canonicalJson({ feature, enabled, variants }))
      .toSorted(),
  ),
];

function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_, member) =>
    typeof member === 'object' && member !== null && !Array.isArray(member)
      ? Object.fromEntries(Object.entries(member).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : member,
  );
}
