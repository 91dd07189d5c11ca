import { isDeepStrictEqual } from 'node:util';
import { notFound } from '../../../../plane/src/platform/errors.ts';
import type { Change } from '../../record/change.ts';
import { strategyStickiness, withStickiness } from '../../targeting/variants/stickiness.ts';
import type { NewStrategy } from '../feature-environments/schema.ts';
import { validateStrategy } from '../feature-environments/validate-strategy.ts';
import type { DefaultStrategy } from './schema.ts';
import { lockDefaultStrategy, updateDefaultStrategy } from './store.ts';

/** Sets the strategy that a feature without strategies gets when it is enabled in the environment. */
export async function setDefaultStrategy(
  { tx, record }: Change,
  project: string,
  environment: string,
  input: NewStrategy,
): Promise<DefaultStrategy> {
  const before = await lockDefaultStrategy(tx, project, environment);
  if (before === undefined) throw notFound(`Environment "${environment}" of project "${project}"`);
  const after = withDefaults(await validateStrategy(tx, project, input));
  if (isDeepStrictEqual(after, before)) return after;

  await updateDefaultStrategy(tx, project, environment, after);
  record({ type: 'default-strategy-updated', project, environment, data: after, preData: before });
  return after;
}

/** A default strategy without a sortOrder is appended to the strategies of a feature. */
function withDefaults(input: NewStrategy): DefaultStrategy {
  const variants = input.variants ?? [];
  return {
    name: input.name,
    ...(typeof input.title === 'string' ? { title: input.title } : {}),
    disabled: input.disabled ?? false,
    ...(input.sortOrder === undefined ? {} : { sortOrder: input.sortOrder }),
    parameters: input.parameters ?? {},
    constraints: input.constraints ?? [],
    variants: withStickiness(variants, strategyStickiness(input.parameters, variants)),
    segments: input.segments ?? [],
  };
}
