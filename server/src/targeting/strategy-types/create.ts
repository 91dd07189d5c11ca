import type { Actor } from '../../platform/actor.ts';
import type { Db } from '../../platform/db/database.ts';
import { badData } from '../../platform/errors.ts';
import { change } from '../../record/change.ts';
import type { NewStrategyType, StrategyType } from './schema.ts';
import { insertStrategyType } from './store.ts';

export async function createStrategyType(
  db: Db,
  actor: Actor,
  input: NewStrategyType,
): Promise<StrategyType> {
  const created = {
    name: input.name,
    displayName: null,
    description: input.description ?? '',
    editable: true,
    deprecated: false,
    parameters: completeParameters(input.parameters ?? []),
  };
  return await change(db, actor, async ({ tx, record }) => {
    await insertStrategyType(tx, created);
    record({ type: 'strategy-created', data: asEventData(created) });
    return created;
  });
}

/** Fills what was left out, and refuses a name that comes twice: SDKs get parameters by name. */
export function completeParameters(
  input: NonNullable<NewStrategyType['parameters']>,
): StrategyType['parameters'] {
  const names = input.map(({ name }) => name);
  const details = names.flatMap((name, at) =>
    names.indexOf(name) === at
      ? []
      : [{ message: `parameter ${name} is there already`, path: `/body/parameters/${at}/name` }],
  );
  if (details.length > 0) throw badData(details);
  return input.map(({ name, type, description = '', required = false }) => ({
    name,
    type,
    description,
    required,
  }));
}

export function asEventData({ editable: _, ...fields }: StrategyType): object {
  return fields;
}
