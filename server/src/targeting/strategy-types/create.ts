import { badData } from '@halyard/plane/platform/errors.ts';
import type { Change } from '../../record/change.ts';
import type { NewStrategyType, StrategyType } from './schema.ts';
import { insertStrategyType } from './store.ts';

export async function createStrategyType(
  { tx, record }: Change,
  input: NewStrategyType,
): Promise<StrategyType> {
  const strategyType = {
    name: input.name,
    displayName: null,
    description: input.description ?? '',
    editable: true,
    deprecated: false,
    parameters: checkParameters(input.parameters ?? []),
  };
  await insertStrategyType(tx, strategyType);
  record({ type: 'strategy-created', data: toEventData(strategyType) });
  return strategyType;
}

/** Rejects duplicate names, because SDKs look parameters up by name, and fills in the defaults. */
export function checkParameters(
  input: NonNullable<NewStrategyType['parameters']>,
): StrategyType['parameters'] {
  const names = input.map(({ name }) => name);
  const details = names.flatMap((name, index) =>
    names.indexOf(name) === index
      ? []
      : [
          {
            message: `parameter "${name}" is listed more than once; names must be unique`,
            path: `/body/parameters/${index}/name`,
          },
        ],
  );
  if (details.length > 0) throw badData(details);
  return input.map(({ name, type, description = '', required = false }) => ({
    name,
    type,
    description,
    required,
  }));
}

export function toEventData({ editable: _, ...fields }: StrategyType): object {
  return fields;
}
