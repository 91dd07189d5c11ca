import { makeSdk } from '../../evaluating/sdk.ts';
import { readBatches, type Source, textOf } from '../source/source.ts';
import { type GeneratedContext, generateContexts } from './contexts.ts';
import { compareFlags, type Difference, type Flags, fetchFlags } from './documents.ts';
import { compareFrontend } from './frontend.ts';

const CONTEXTS = 1_000;
/** Each one is a request to both servers. */
const FRONTEND_CONTEXTS = 25;
const SDK_TYPES = ['client', 'backend', 'frontend'];

/** The result for one token, identified by its hint. */
export type TokenResult = { token: string; problems: string[]; features: number; evaluations: number };

export type Verification = {
  results: TokenResult[];
  /** Tokens for which Unleash has only the hash, so that nobody can send them. */
  withoutSecret: number;
};

type Token = { name: string; secret: string; environment: string; isFrontend: boolean };

/** The source's tokens as SDKs send them, with names that are safe to print. Frontend tokens come last, because they need the others. */
async function readTokens(source: Source): Promise<Token[]> {
  const tokens: Token[] = [];
  const columns = ['secret', 'username', 'token_name', 'type', 'environment', 'alias'];
  for await (const rows of readBatches(source, {
    table: 'api_tokens',
    columns,
    orderBy: 'created_at, secret',
  }))
    for (const row of rows) {
      if (!SDK_TYPES.includes(textOf(row.type))) continue;
      const name = textOf(row.token_name) || textOf(row.username);
      const of = { environment: textOf(row.environment), isFrontend: row.type === 'frontend' };
      tokens.push({ ...of, name, secret: textOf(row.secret) });
      if (textOf(row.alias)) tokens.push({ ...of, name: `${name} (alias)`, secret: textOf(row.alias) });
    }
  return tokens.toSorted((a, b) => Number(a.isFrontend) - Number(b.isFrontend));
}

/** Fetches the flags from both servers with every token, compares them, and evaluates generated contexts with the official SDK. */
export async function verifyImport(
  source: Source,
  { unleash, halyard, secrets }: { unleash: string; halyard: string; secrets: string[] },
  onResult: (result: TokenResult) => void = () => {},
): Promise<Verification> {
  const results: TokenResult[] = [];
  /** What Unleash sends in an environment. */
  const sent = new Map<string, Flags>();
  const verifyOne = async (token: Token) => {
    const verify = token.isFrontend ? verifyFrontend : verifyToken;
    const result = await verify({ unleash, halyard }, token, sent);
    results.push(result);
    onResult(result);
  };
  for (const token of await readTokens(source)) await verifyOne(token);
  for (const [at, secret] of secrets.entries())
    await verifyOne({ name: `--token ${at + 1}`, secret, environment: '', isFrontend: false });
  let hashed = 0;
  for await (const rows of readBatches(source, {
    table: 'api_tokens_v2',
    columns: ['type'],
    orderBy: 'type',
  }))
    hashed += rows.filter(row => SDK_TYPES.includes(textOf(row.type))).length;
  return { results, withoutSecret: hashed };
}

type Urls = { unleash: string; halyard: string };

async function verifyFrontend(
  urls: Urls,
  { name, secret, environment }: Token,
  sent: ReadonlyMap<string, Flags>,
): Promise<TokenResult> {
  const flags = sent.get(environment) ?? { features: new Map(), segments: new Map() };
  const contexts = generateContexts(flags, environment, FRONTEND_CONTEXTS);
  const isRandomFlag = (feature: string) => isRandom(flags.features, feature);
  const { problems, features } = await compareFrontend(urls, secret, contexts, isRandomFlag);
  return { token: name, problems, features, evaluations: features * contexts.length };
}

async function verifyToken(
  { unleash, halyard }: Urls,
  { name, secret, environment }: Token,
  sent: Map<string, Flags>,
): Promise<TokenResult> {
  const there = await fetchFlags('Unleash', unleash, secret);
  const here = await fetchFlags('Halyard', halyard, secret);
  if (typeof there === 'number' || typeof here === 'number') {
    const [a, b] = [there, here].map(one => (typeof one === 'number' ? one : 200));
    return {
      token: name,
      problems: a === b ? [] : [`Unleash responds with ${a} and Halyard with ${b}`],
      features: 0,
      evaluations: 0,
    };
  }
  // Tokens can be limited to some projects, so frontend results use the flags of the token that has the most.
  if (there.features.size > (sent.get(environment)?.features.size ?? -1)) sent.set(environment, there);
  const differences = [...compareFlags(there, here), ...evaluateBoth(there, here, environment)];
  return {
    token: name,
    problems: differences.map(({ feature, what }) => `${feature}: ${what}`),
    features: there.features.size,
    evaluations: there.features.size * CONTEXTS,
  };
}

/** Evaluates every flag for generated contexts, with the data from each server. Reports the first context with a different result. */
function evaluateBoth(there: Flags, here: Flags, environment: string): Difference[] {
  const contexts = generateContexts(there, environment, CONTEXTS);
  const [a, b] = [evaluatorOf(there), evaluatorOf(here)];
  return [...there.features.keys()]
    .filter(feature => here.features.has(feature))
    .flatMap(feature => {
      const at = contexts.findIndex(context => a(feature, context) !== b(feature, context));
      const context = contexts[at];
      if (context === undefined) return [];
      return [{ feature, what: `a different result for ${JSON.stringify(context)}` }];
    });
}

/** The result for a context as text. Random results count as equal. */
function evaluatorOf({ features, segments }: Flags): (feature: string, context: GeneratedContext) => string {
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

/** Whether the result for the same context can differ from one evaluation to the next. Dependencies have one level. */
function isRandom(features: Flags['features'], name: string): boolean {
  const names = [name, ...(features.get(name)?.dependencies ?? []).map(({ feature }) => feature)];
  return names.some(one => {
    const { strategies = [], variants = [] } = features.get(one) ?? {};
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
