import { isDeepStrictEqual } from 'node:util';
import type { Actor } from '../../platform/actor.ts';
import type { Db } from '../../platform/db/database.ts';
import { notFound } from '../../platform/errors.ts';
import { change } from '../../record/change.ts';
import { acceptStrategy } from '../feature-environments/accept-strategy.ts';
import type { NewStrategy } from '../feature-environments/schema.ts';
import type { DefaultStrategy } from './schema.ts';
import { lockDefaultStrategy, updateDefaultStrategy } from './store.ts';

/** Sets what a feature of the project gets when it is switched on in the environment without a strategy. */
export async function setDefaultStrategy(
  db: Db,
  actor: Actor,
  project: string,
  environment: string,
  input: NewStrategy,
): Promise<DefaultStrategy> {
  return await change(db, actor, async ({ tx, record }) => {
    const before = await lockDefaultStrategy(tx, project, environment);
    if (before === undefined) throw notFound(`Environment ${environment} of project ${project}`);
    const after = complete(await acceptStrategy(tx, project, input));
    if (isDeepStrictEqual(after, before)) return after;

    await updateDefaultStrategy(tx, project, environment, after);
    record({ type: 'default-strategy-updated', project, environment, data: after, preData: before });
    return after;
  });
}

/** Fills what was left out. Without a sortOrder the strategy goes after those the feature has. */
function complete(input: NewStrategy): DefaultStrategy {
  return {
    name: input.name,
    ...(typeof input.title === 'string' ? { title: input.title } : {}),
    disabled: input.disabled ?? false,
    ...(input.sortOrder === undefined ? {} : { sortOrder: input.sortOrder }),
    parameters: input.parameters ?? {},
    constraints: input.constraints ?? [],
    variants: input.variants ?? [],
    segments: input.segments ?? [],
  };
}
