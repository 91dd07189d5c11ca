import { isDeepStrictEqual } from 'node:util';
import type { schemas } from '../../api/api.gen.ts';
import { command } from '../../command.ts';
import type { Context } from '../../context.ts';
import { notFound, wrongUse } from '../../errors.ts';
import { plain } from '../../output.ts';
import { data } from '../../requests.ts';
import { tidyStrategy } from './as-code/state.ts';
import { FLAG, IN_PROJECT, projectOf } from './find.ts';

type Difference = { part: string; kind: string; from?: unknown; to?: unknown };
type Result = {
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
    { does: 'Does the copy still equal its source?', run: 'flags diff checkout-v3 --exit-code' },
  ],
  run: async (context, { flag }, { project: given, from, to, exitCode }) => {
    if ((from === undefined) !== (to === undefined))
      throw wrongUse('Name both environments, with --from and --to, or none.');
    const project = await projectOf(context, flag, given);
    const result =
      from !== undefined && to !== undefined
        ? await between(context, project, flag, from, to)
        : await withSource(context, project, flag);
    if (exitCode && !result.same) context.failCheck();
    return result;
  },
  text: ({ flag, from, to, same, differences }) =>
    same
      ? `Flag "${flag}" is the same in ${from} and ${to}.`
      : differences
          .map(
            one =>
              `${plain(one.part)}: ${one.kind}\n  - ${from}: ${shown(one.from)}\n  + ${to}: ${shown(one.to)}`,
          )
          .join('\n'),
});

const shown = (value: unknown): string =>
  value === undefined ? 'none' : plain(typeof value === 'string' ? value : JSON.stringify(value));

async function between(
  context: Context,
  project: string,
  flag: string,
  from: string,
  to: string,
): Promise<Result> {
  const path = { projectId: project, featureName: flag };
  const { environments } = await data(
    context.read.GET('/api/admin/projects/{projectId}/features/{featureName}', { params: { path } }),
  );
  const [a, b] = [from, to].map(name => {
    const found = environments.find(one => one.name === name);
    if (!found)
      throw notFound(
        `Flag "${flag}" has no environment ${JSON.stringify(name)}. It has ${environments.map(one => one.name).join(', ')}.`,
      );
    return found;
  }) as [schemas['FeatureEnvironment'], schemas['FeatureEnvironment']];
  const differences: Difference[] = [];
  const compare = (part: string, left: unknown, right: unknown) => {
    if (isDeepStrictEqual(left, right)) return;
    const kind = left === undefined ? `only in ${to}` : right === undefined ? `only in ${from}` : 'different';
    differences.push({
      part,
      kind,
      ...(left !== undefined && { from: left }),
      ...(right !== undefined && { to: right }),
    });
  };
  compare('enabled', a.enabled, b.enabled);
  // A strategy has a different id in each environment, so strategies are compared by their position.
  const most = Math.max(a.strategies.length, b.strategies.length);
  for (let n = 0; n < most; n++)
    compare(`strategy ${n + 1}`, essence(a.strategies[n]), essence(b.strategies[n]));
  compare('variants', a.variants, b.variants);
  return { flag, project, from, to, same: differences.length === 0, differences };
}

/** The fields that determine the result, without ids and defaults. */
function essence(strategy: schemas['FeatureStrategy'] | undefined): unknown {
  if (!strategy) return undefined;
  const parameters = strategy.parameters as Record<string, string>;
  return tidyStrategy(
    { ...strategy, parameters, segments: strategy.segments.map(String) },
    strategy.featureName,
  );
}

async function withSource(context: Context, project: string, flag: string): Promise<Result> {
  const path = { projectId: project, featureName: flag };
  const drift = await data(
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
