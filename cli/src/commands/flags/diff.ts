import { isDeepStrictEqual } from 'node:util';
import type { schemas } from '../../api/api.gen.ts';
import { command } from '../../command.ts';
import type { Context } from '../../context.ts';
import { notFoundError, usageError } from '../../errors.ts';
import { sanitize } from '../../output.ts';
import { getData } from '../../requests.ts';
import { normalizeStrategy } from './as-code/state.ts';
import { FLAG, findProject, IN_PROJECT } from './find.ts';

type Difference = { part: string; kind: string; from?: unknown; to?: unknown };
type DiffResult = {
  flag: string;
  project: string;
  from: string;
  to: string;
  same: boolean;
  differences: Difference[];
};

export const flagsDiff = command({
  name: 'flags diff',
  brief: 'Compare a flag in two environments, or a copy with its source',
  description:
    'With --from and --to, it compares two environments of the flag. Without them, it compares the flag with the flag that it was cloned from.',
  args: { flag: FLAG },
  options: {
    project: IN_PROJECT,
    from: { type: 'string', value: 'name', brief: 'First environment', complete: 'environments' },
    to: { type: 'string', value: 'name', brief: 'Second environment', complete: 'environments' },
    exitCode: { type: 'flag', brief: 'Exit with 10 if there are differences' },
  },
  checks: true,
  calls: ['searchFeatures', 'getFeature', 'getFeatureDrift'],
  output: {
    type: 'object',
    required: ['flag', 'project', 'from', 'to', 'same', 'differences'],
    properties: {
      flag: { type: 'string' },
      project: { type: 'string' },
      from: { type: 'string' },
      to: { type: 'string' },
      same: { type: 'boolean' },
      differences: {
        type: 'array',
        items: {
          type: 'object',
          required: ['part', 'kind'],
          properties: { part: { type: 'string' }, kind: { type: 'string' }, from: {}, to: {} },
        },
      },
    },
  },
  examples: [
    {
      does: 'What is different in production?',
      run: 'flags diff checkout-v2 --from development --to production',
    },
    { does: 'Is the copy still the same as its source?', run: 'flags diff checkout-v3 --exit-code' },
  ],
  run: async (context, { flag }, { project: projectOption, from, to, exitCode }) => {
    if ((from === undefined) !== (to === undefined))
      throw usageError('Use --from and --to together, or neither.');
    const project = await findProject(context, flag, projectOption);
    const result =
      from !== undefined && to !== undefined
        ? await compareEnvironments(context, project, flag, from, to)
        : await compareWithSource(context, project, flag);
    if (exitCode && !result.same) context.failCheck();
    return result;
  },
  text: ({ flag, from, to, same, differences }) =>
    same
      ? `Flag "${flag}" is the same in ${from} and ${to}.`
      : differences
          .map(
            difference =>
              `${sanitize(difference.part)}: ${difference.kind}\n  - ${from}: ${formatValue(difference.from)}\n  + ${to}: ${formatValue(difference.to)}`,
          )
          .join('\n'),
});

const formatValue = (value: unknown): string =>
  value === undefined ? 'none' : sanitize(typeof value === 'string' ? value : JSON.stringify(value));

async function compareEnvironments(
  context: Context,
  project: string,
  flag: string,
  from: string,
  to: string,
): Promise<DiffResult> {
  const path = { projectId: project, featureName: flag };
  const { environments } = await getData(
    context.read.GET('/api/admin/projects/{projectId}/features/{featureName}', { params: { path } }),
  );
  const [left, right] = [from, to].map(name => {
    const environment = environments.find(candidate => candidate.name === name);
    if (!environment)
      throw notFoundError(
        `Flag "${flag}" has no environment ${JSON.stringify(name)}. It has ${environments.map(candidate => candidate.name).join(', ')}.`,
      );
    return environment;
  }) as [schemas['FeatureEnvironment'], schemas['FeatureEnvironment']];
  const differences: Difference[] = [];
  const compare = (part: string, leftValue: unknown, rightValue: unknown) => {
    if (isDeepStrictEqual(leftValue, rightValue)) return;
    const kind =
      leftValue === undefined ? `only in ${to}` : rightValue === undefined ? `only in ${from}` : 'different';
    differences.push({
      part,
      kind,
      ...(leftValue !== undefined && { from: leftValue }),
      ...(rightValue !== undefined && { to: rightValue }),
    });
  };
  compare('enabled', left.enabled, right.enabled);
  // A strategy has a different id in each environment, so strategies are compared by their position.
  const strategyCount = Math.max(left.strategies.length, right.strategies.length);
  for (let index = 0; index < strategyCount; index++)
    compare(
      `strategy ${index + 1}`,
      pickRelevantFields(left.strategies[index]),
      pickRelevantFields(right.strategies[index]),
    );
  compare('variants', left.variants, right.variants);
  return { flag, project, from, to, same: differences.length === 0, differences };
}

/** Returns the fields that determine the result, without ids and defaults. */
function pickRelevantFields(strategy: schemas['FeatureStrategy'] | undefined): unknown {
  if (!strategy) return undefined;
  const parameters = strategy.parameters as Record<string, string>;
  return normalizeStrategy(
    { ...strategy, parameters, segments: strategy.segments.map(String) },
    strategy.featureName,
  );
}

async function compareWithSource(context: Context, project: string, flag: string): Promise<DiffResult> {
  const path = { projectId: project, featureName: flag };
  const drift = await getData(
    context.read.GET('/api/admin/projects/{projectId}/features/{featureName}/drift', { params: { path } }),
  );
  const differences = drift.differences.map(({ part, environment, kind, source, copy }) => ({
    part: environment === null ? part : `${part} in ${environment}`,
    kind,
    ...(source !== undefined && { from: source }),
    ...(copy !== undefined && { to: copy }),
  }));
  return { flag, project, from: drift.source.feature, to: flag, same: drift.inSync, differences };
}
