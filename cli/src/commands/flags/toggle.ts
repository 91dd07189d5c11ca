import type { schemas } from '../../api/api.gen.ts';
import type { Context } from '../../context.ts';
import { getData } from '../../requests.ts';
import { findProject } from './find.ts';

type ToggleOptions = { environment: string | undefined; project: string | undefined };

export async function toggle(
  context: Context,
  flag: string,
  options: ToggleOptions,
  state: 'on' | 'off',
): Promise<schemas['FeatureEnvironment']> {
  const environment = context.environment(options.environment);
  const path = {
    projectId: await findProject(context, flag, options.project),
    featureName: flag,
    environment,
  };
  const base = '/api/admin/projects/{projectId}/features/{featureName}/environments/{environment}';
  return await getData(
    context.write.POST(state === 'on' ? `${base}/on` : `${base}/off`, { params: { path } }),
  );
}

export const describeToggle = ({
  featureName,
  environment,
  enabled,
  hasEnabledStrategies,
}: schemas['FeatureEnvironment']): string =>
  `Flag "${featureName}" is ${enabled ? 'enabled' : 'disabled'} in ${environment}.${
    enabled && !hasEnabledStrategies
      ? ' It has no enabled strategy there, so it is enabled for everybody.'
      : ''
  }`;
