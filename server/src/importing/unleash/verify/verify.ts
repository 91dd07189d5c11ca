import { makeSdk } from '../../evaluating/sdk.ts';
import { readBatches, type Source, textOf } from '../source/source.ts';
import { type GeneratedContext, generateContexts } from './contexts.ts';
import { compareFlags, type Difference, type Flags, fetchFlags } from './documents.ts';

const CONTEXTS = 1_000;
const SDK_TYPES = ['client', 'backend'];

/** The result for one token, identified by its hint. */
export type TokenResult = { token: string; problems: string[]; features: number; evaluations: number };

export type Verification = {
  results: TokenResult[];
  /** Tokens for which Unleash has only the hash, so that nobody can send them. */
  withoutSecret: number;
};

/** The source's tokens as SDKs send them, with names that are safe to print. */
async function* readTokens(
  source: Source,
): AsyncGenerator<{ name: string; secret: string; environment: string }> {
  const columns = ['secret', 'username', 'token_name', 'type', 'environment', 'alias'];
  for await (const rows of readBatches(source, {
    table: 'api_tokens',
    columns,
    orderBy: 'created_at, secret',
  }))
    for (const row of rows) {
      if (!SDK_TYPES.includes(textOf(row.type))) continue;
      const name = textOf(row.token_name) || textOf(row.username);
      const environment = textOf(row.environment);
      yield { name, secret: textOf(row.secret), environment };
      if (textOf(row.alias)) yield { name: `${name} (alias)`, secret: textOf(row.alias), environment };
    }
}

/** Fetches the flags from both servers with every token, compares them, and evaluates generated contexts with the official SDK. */
export async function verifyImport(
  source: Source,
  { unleash, halyard, secrets }: { unleash: string; halyard: string; secrets: string[] },
  onResult: (result: TokenResult) => void = () => {},
): Promise<Verification> {
  const results: TokenResult[] = [];
  const verifyOne = async (token: { name: string; secret: string; environment: string }) => {
    const result = await verifyToken(unleash, halyard, token);
    results.push(result);
    onResult(result);
  };
  for await (const token of readTokens(source)) await verifyOne(token);
  for (const [at, secret] of secrets.entries())
    await verifyOne({ name: `--token ${at + 1}`, secret, environment: '' });
  let hashed = 0;
  for await (const rows of readBatches(source, {
    table: 'api_tokens_v2',
    columns: ['type'],
    orderBy: 'type',
  }))
    hashed += rows.filter(row => SDK_TYPES.includes(textOf(row.type))).length;
  return { results, withoutSecret: hashed };
}

async function verifyToken(
  unleash: string,
  halyard: string,
  { name, secret, environment }: { name: string; secret: string; environment: string },
): Promise<TokenResult> {
  const [there, here] = [await fetchFlags(unleash, secret), await fetchFlags(halyard, secret)];
  if (typeof there === 'number' || typeof here === 'number') {
    const [a, b] = [there, here].map(one => (typeof one === 'number' ? one : 200));
    return {
      token: name,
      problems: a === b ? [] : [`Unleash responds with ${a} and Halyard with ${b}`],
      features: 0,
      evaluations: 0,
    };
  }
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
