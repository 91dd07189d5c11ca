import { isDeepStrictEqual } from 'node:util';
import type { Actor } from '../../platform/actor.ts';
import type { Db, Tx } from '../../platform/db/database.ts';
import { invalidOperation, notFound } from '../../platform/errors.ts';
import { change } from '../../record/change.ts';
import { asEventData, completeParameters } from './create.ts';
import type { StrategyType, StrategyTypeUpdate } from './schema.ts';
import { lockStrategyType, updateStrategyType } from './store.ts';

/** Changes the fields that are given and leaves the others; changing nothing writes nothing. */
export async function changeStrategyType(
  db: Db,
  actor: Actor,
  name: string,
  input: StrategyTypeUpdate,
): Promise<StrategyType> {
  const parameters = input.parameters && completeParameters(input.parameters);
  return await change(db, actor, async ({ tx, record }) => {
    const before = await lockOwn(tx, name);
    const after = {
      ...before,
      description: input.description ?? before.description,
      parameters: parameters ?? before.parameters,
    };
    if (isDeepStrictEqual(after, before)) return before;

    await updateStrategyType(tx, after);
    record({ type: 'strategy-updated', data: asEventData(after), preData: asEventData(before) });
    return after;
  });
}

/** A strategy type that is not built in: SDKs bring the built-in ones, so those stay as they are. */
export async function lockOwn(tx: Tx, name: string): Promise<StrategyType> {
  const strategy = await lockStrategyType(tx, name);
  if (!strategy) throw notFound(`Strategy type ${name}`);
  if (!strategy.editable) throw invalidOperation(`Strategy type ${name} is built in and stays as it is.`);
  return strategy;
}

/** Marks as not meant for new use, or takes the mark away; repeating it changes nothing. */
export async function deprecateStrategyType(
  db: Db,
  actor: Actor,
  name: string,
  deprecated: boolean,
): Promise<void> {
  await change(db, actor, async ({ tx, record }) => {
    const strategy = await lockStrategyType(tx, name);
    if (!strategy) throw notFound(`Strategy type ${name}`);
    if (strategy.deprecated === deprecated) return;
    await updateStrategyType(tx, { ...strategy, deprecated });
    record({ type: deprecated ? 'strategy-deprecated' : 'strategy-reactivated', data: { name } });
  });
}
