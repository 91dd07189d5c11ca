import { isDeepStrictEqual } from 'node:util';
import { ENVIRONMENT_HINT, notFound } from '@halyard/plane/platform/errors.ts';
import type { Change } from '../../record/change.ts';
import { getStrategyStickiness, withStickiness } from '../../targeting/variants/stickiness.ts';
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
  const strategyBefore = await lockDefaultStrategy(tx, project, environment);
  if (strategyBefore === undefined)
    throw notFound(`Environment "${environment}" of project "${project}"`, ENVIRONMENT_HINT);
  const strategyAfter = withDefaults(await validateStrategy(tx, project, input));
  if (isDeepStrictEqual(strategyAfter, strategyBefore)) return strategyAfter;

  await updateDefaultStrategy(tx, project, environment, strategyAfter);
  record({
    type: 'default-strategy-updated',
    project,
    environment,
    data: strategyAfter,
    preData: strategyBefore,
  });
  return strategyAfter;
}

/**
 * Fills in omitted fields except sortOrder, because a default strategy without sortOrder is appended to the strategies of a
 * feature.
 */
function withDefaults(input: NewStrategy): DefaultStrategy {
  const variants = input.variants ?? [];
  return {
    name: input.name,
    ...(typeof input.title === 'string' ? { title: input.title } : {}),
    disabled: input.disabled ?? false,
    ...(input.sortOrder === undefined ? {} : { sortOrder: input.sortOrder }),
    parameters: input.parameters ?? {},
    constraints: input.constraints ?? [],
    variants: withStickiness(variants, getStrategyStickiness(input.parameters, variants)),
    segments: input.segments ?? [],
  };
}
