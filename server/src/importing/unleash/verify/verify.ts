import { makeSdk } from '../../evaluating/sdk.ts';
import { readBatches, type Source, toText } from '../source/source.ts';
import { type GeneratedContext, generateContexts } from './contexts.ts';
import { type CoveredScope, listUncovered, parseScope, type UncoveredItems } from './coverage.ts';
import {
  compareFlags,
  compareStatus,
  type Difference,
  type Flags,
  fetchFlags,
  type TokenDifference,
} from './documents.ts';
import { compareFrontend } from './frontend.ts';

const CONTEXTS_PER_TOKEN = 1_000;
/** Smaller than CONTEXTS_PER_TOKEN, because each context is a request to both servers. */
const FRONTEND_CONTEXTS = 25;
const SDK_TYPES = ['client', 'backend', 'frontend'];

/** The result for one token, identified by its name. */
export type TokenResult = {
  token: string;
  /** Empty for a token that was passed as an argument. */
  environment: string;
  problems: TokenDifference[];
  features: number;
  evaluations: number;
  /** The status if both servers reject the token, for example because it has expired. */
  rejectedWith?: number;
};

export type Verification = {
  results: TokenResult[];
  /** The number of tokens that cannot be sent, because Unleash has only their hash. */
  withoutSecret: number;
  uncovered: UncoveredItems;
};

type Token = {
  name: string;
  secret: string;
  environment: string;
  isFrontend: boolean;
  /** Undefined if it is unknown what the token can read. */
  scope: CoveredScope | undefined;
};

/**
 * Returns the source's tokens as SDKs send them, with names that are safe to print. Frontend tokens come last, because verifying
 * them needs the flags of the others.
 */
async function readTokens(source: Source): Promise<Token[]> {
  const tokens: Token[] = [];
  const columns = ['secret', 'username', 'token_name', 'type', 'environment', 'alias'];
  const projects = await readTokenProjects(source);
  for await (const rows of readBatches(source, {
    table: 'api_tokens',
    columns,
    orderBy: 'created_at, secret',
  }))
    for (const row of rows) {
      if (!SDK_TYPES.includes(toText(row.type))) continue;
      const name = toText(row.token_name) || toText(row.username);
      const environment = toText(row.environment);
      const scope = { environment, projects: projects.get(toText(row.secret)) ?? [] };
      const tokenFields = { environment, isFrontend: row.type === 'frontend', scope };
      tokens.push({ ...tokenFields, name, secret: toText(row.secret) });
      if (toText(row.alias))
        tokens.push({ ...tokenFields, name: `${name} (alias)`, secret: toText(row.alias) });
    }
  return tokens.toSorted((a, b) => Number(a.isFrontend) - Number(b.isFrontend));
}

/** Returns the projects of each token that is limited to some projects. */
async function readTokenProjects(source: Source): Promise<Map<string, string[]>> {
  const projects = new Map<string, string[]>();
  for await (const rows of readBatches(source, {
    table: 'api_token_project',
    columns: ['secret', 'project'],
    orderBy: 'secret, project',
  }))
    for (const row of rows) {
      const secret = toText(row.secret);
      projects.set(secret, [...(projects.get(secret) ?? []), toText(row.project)]);
    }
  return projects;
}

/** Fetches the flags from both servers with every token, compares them, and evaluates generated contexts with the official SDK. */
export async function verifyImport(
  source: Source,
  { unleash, halyard, secrets }: { unleash: string; halyard: string; secrets: string[] },
  onResult: (result: TokenResult) => void = () => {},
): Promise<Verification> {
  const results: TokenResult[] = [];
  /** What Unleash sent in each environment for the token that can read the most flags. */
  const flagsByEnvironment = new Map<string, Flags>();
  const scopes: CoveredScope[] = [];
  const sentSegments = new Set<number>();
  const verifyOneToken = async (token: Token) => {
    const verify = token.isFrontend ? verifyFrontend : verifyToken;
    const result = await verify({ unleash, halyard }, token, flagsByEnvironment, sentSegments);
    results.push(result);
    if (result.rejectedWith === undefined && !token.isFrontend && token.scope !== undefined)
      scopes.push(token.scope);
    onResult(result);
  };
  for (const token of await readTokens(source)) await verifyOneToken(token);
  for (const [index, secret] of secrets.entries())
    await verifyOneToken({
      name: `--token ${index + 1}`,
      secret,
      environment: '',
      isFrontend: false,
      scope: parseScope(secret),
    });
  let hashedCount = 0;
  for await (const rows of readBatches(source, {
    table: 'api_tokens_v2',
    columns: ['type'],
    orderBy: 'type',
  }))
    hashedCount += rows.filter(row => SDK_TYPES.includes(toText(row.type))).length;
  const uncovered = await listUncovered(source, scopes, sentSegments);
  return { results, withoutSecret: hashedCount, uncovered };
}

type Urls = { unleash: string; halyard: string };

async function verifyFrontend(
  urls: Urls,
  { name, secret, environment }: Token,
  flagsByEnvironment: ReadonlyMap<string, Flags>,
): Promise<TokenResult> {
  const flags = flagsByEnvironment.get(environment) ?? { features: new Map(), segments: new Map() };
  const contexts = generateContexts(flags, environment, FRONTEND_CONTEXTS);
  const isRandomFlag = (feature: string) => isRandom(flags.features, feature);
  const comparison = await compareFrontend(urls, secret, contexts, isRandomFlag);
  return { token: name, environment, ...comparison, evaluations: comparison.features * contexts.length };
}

async function verifyToken(
  { unleash, halyard }: Urls,
  { name, secret, environment }: Token,
  flagsByEnvironment: Map<string, Flags>,
  sentSegments: Set<number>,
): Promise<TokenResult> {
  const unleashFlags = await fetchFlags('Unleash', unleash, secret);
  const halyardFlags = await fetchFlags('Halyard', halyard, secret);
  if (typeof unleashFlags === 'number' || typeof halyardFlags === 'number')
    return {
      token: name,
      environment,
      features: 0,
      evaluations: 0,
      ...compareStatus(unleashFlags, halyardFlags),
    };
  // Tokens can be limited to some projects, so the comparison for browsers uses the token that can read the most flags.
  if (unleashFlags.features.size > (flagsByEnvironment.get(environment)?.features.size ?? -1))
    flagsByEnvironment.set(environment, unleashFlags);
  for (const id of unleashFlags.segments.keys()) sentSegments.add(id);
  const differences = [
    ...compareFlags(unleashFlags, halyardFlags),
    ...evaluateBoth(unleashFlags, halyardFlags, environment),
  ];
  return {
    token: name,
    environment,
    problems: differences.map(({ feature, description, detail = '' }) => ({
      text: `${feature}: ${description}`,
      detail,
    })),
    features: unleashFlags.features.size,
    evaluations: unleashFlags.features.size * CONTEXTS_PER_TOKEN,
  };
}

/**
 * Evaluates every flag for generated contexts, with the data from each server. Reports the first context with a different result.
 */
function evaluateBoth(unleashFlags: Flags, halyardFlags: Flags, environment: string): Difference[] {
  const contexts = generateContexts(unleashFlags, environment, CONTEXTS_PER_TOKEN);
  const [evaluateUnleash, evaluateHalyard] = [makeEvaluator(unleashFlags), makeEvaluator(halyardFlags)];
  return [...unleashFlags.features.keys()]
    .filter(feature => halyardFlags.features.has(feature))
    .flatMap(feature => {
      const index = contexts.findIndex(
        context => evaluateUnleash(feature, context) !== evaluateHalyard(feature, context),
      );
      const context = contexts[index];
      if (context === undefined) return [];
      return [{ feature, description: 'a different result', detail: ` for ${JSON.stringify(context)}` }];
    });
}

/** Returns a function that formats the result for a context as text. Random results count as equal. */
function makeEvaluator({
  features,
  segments,
}: Flags): (feature: string, context: GeneratedContext) => string {
  const evaluate = makeSdk({
    getToggle: name => features.get(name),
    getSegment: id => segments.get(id),
  });
  return (feature, context) => {
    if (isRandom(features, feature)) return 'random';
    try {
      const { isEnabled, variant } = evaluate(feature, context as never);
      return `${isEnabled} ${variant.name}`;
    } catch (error) {
      return `throws ${(error as Error).name}`;
    }
  };
}

/**
 * Returns whether the result for the same context can differ from one evaluation to the next. Only direct parents matter, because
 * dependencies have one level.
 */
function isRandom(features: Flags['features'], name: string): boolean {
  const names = [name, ...(features.get(name)?.dependencies ?? []).map(({ feature }) => feature)];
  return names.some(featureName => {
    const { strategies = [], variants = [] } = features.get(featureName) ?? {};
    return (
      strategies.some(
        ({ name: type, parameters }) =>
          type === 'gradualRolloutRandom' || parameters?.stickiness === 'random',
      ) ||
      JSON.stringify([variants, strategies.map(strategy => strategy.variants)]).includes(
        '"stickiness":"random"',
      )
    );
  });
}
