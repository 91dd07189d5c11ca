import { isDeepStrictEqual } from 'node:util';
import { invalidOperation, notFound } from '@halyard/plane/platform/errors.ts';
import type { Tx } from '../../platform/db/database.ts';
import type { Change } from '../../record/change.ts';
import { checkParameters, toEventData } from './create.ts';
import type { StrategyType, StrategyTypeUpdate } from './schema.ts';
import { lockStrategyType, updateStrategyType } from './store.ts';

/** Changes the given fields and keeps the others. An update that changes nothing writes nothing. */
export async function changeStrategyType(
  { tx, record }: Change,
  name: string,
  input: StrategyTypeUpdate,
): Promise<StrategyType> {
  const parameters = input.parameters && checkParameters(input.parameters);
  const typeBefore = await lockCustomStrategyType(tx, name);
  const typeAfter = {
    ...typeBefore,
    description: input.description ?? typeBefore.description,
    parameters: parameters ?? typeBefore.parameters,
  };
  if (isDeepStrictEqual(typeAfter, typeBefore)) return typeBefore;

  await updateStrategyType(tx, typeAfter);
  record({ type: 'strategy-updated', data: toEventData(typeAfter), preData: toEventData(typeBefore) });
  return typeAfter;
}

/** Locks a strategy type that is not built in. Built-in types cannot change, because SDKs implement them. */
export async function lockCustomStrategyType(tx: Tx, name: string): Promise<StrategyType> {
  const strategyType = await lockStrategyType(tx, name);
  if (!strategyType) throw notFound(`Strategy type "${name}"`);
  if (!strategyType.editable)
    throw invalidOperation(`Strategy type "${name}" is built in and cannot be changed or deleted.`);
  return strategyType;
}

/** Marks a strategy type as deprecated, or reactivates it. Repeating the call changes nothing. */
export async function deprecateStrategyType(
  { tx, record }: Change,
  name: string,
  deprecated: boolean,
): Promise<void> {
  const strategyType = await lockStrategyType(tx, name);
  if (!strategyType) throw notFound(`Strategy type "${name}"`);
  if (strategyType.deprecated === deprecated) return;
  await updateStrategyType(tx, { ...strategyType, deprecated });
  record({ type: deprecated ? 'strategy-deprecated' : 'strategy-reactivated', data: { name } });
}
