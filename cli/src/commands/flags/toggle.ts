import type { schemas } from '../../api/api.gen.ts';
import type { Context } from '../../context.ts';
import { data } from '../../requests.ts';
import { projectOf } from './find.ts';

type Place = { environment: string | undefined; project: string | undefined };

export async function toggle(
  context: Context,
  flag: string,
  place: Place,
  to: 'on' | 'off',
): Promise<schemas['FeatureEnvironment']> {
  const environment = context.environment(place.environment);
  const path = { projectId: await projectOf(context, flag, place.project), featureName: flag, environment };
  const base = '/api/admin/projects/{projectId}/features/{featureName}/environments/{environment}';
  return await data(context.write.POST(to === 'on' ? `${base}/on` : `${base}/off`, { params: { path } }));
}

export const toggled = ({
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
