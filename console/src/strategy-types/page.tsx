import { useQuery } from '@tanstack/react-query';
import { useCallback } from 'react';
import { ListPage } from '../ui/ListPage.tsx';
import { Cell } from '../ui/Row.tsx';
import { State } from '../ui/State.tsx';
import { useFilters } from '../ui/useFilters.ts';
import { counted } from '../ui/words.ts';
import { type StrategyType, strategyTypesQuery } from './queries.ts';
import { NewStrategyTypePanel, StrategyTypePanel } from './StrategyTypePanel.tsx';
import s from './strategy-types.module.css';

const keyOf = ({ name }: StrategyType): string => name;
const textOf = ({ name, displayName, description }: StrategyType): string =>
  [name, displayName, description].join('\n');
/** The first line of the row. */
const titleOf = ({ name, displayName }: StrategyType): string => displayName || name;
const COLUMNS = [
  {
    label: 'Strategy type',
    compare: (one: StrategyType, other: StrategyType) => titleOf(one).localeCompare(titleOf(other)),
  },
  { label: 'Parameters' },
  { label: 'Origin' },
  { label: 'State' },
];

/** The strategy types: those that every SDK has, and those that your own applications implement. */
export function StrategyTypesPage() {
  const { data, error, refetch } = useQuery(strategyTypesQuery);
  const { search, push, replace } = useFilters();
  const open = useCallback(({ name }: StrategyType) => push({ edit: `type:${name}` }), [push]);
  const render = useCallback(
    (type: StrategyType) => (
      <>
        <Cell as="name">
          <button type="button" className={s.name} onClick={() => open(type)}>
            {type.displayName ?? type.name}
          </button>
          <small>{type.description || type.name}</small>
        </Cell>
        <Cell as="dim">{counted(type.parameters.length, 'parameter')}</Cell>
        <Cell as="dim">{type.editable ? 'Custom' : 'Built in'}</Cell>
        <Cell>{type.deprecated && <State tone="warn">Deprecated</State>}</Cell>
      </>
    ),
    [open],
  );
  const close = () => replace({ edit: undefined });
  const edited = data?.find(({ name }) => search.edit === `type:${name}`);
  return (
    <ListPage
      title="Strategy types"
      noun="strategy type"
      rows={data}
      error={error}
      onRetry={() => void refetch()}
      keyOf={keyOf}
      textOf={textOf}
      placeholder="Name or description"
      columns={COLUMNS}
      className={s.columns ?? ''}
      render={render}
      onOpen={open}
      create={{ label: 'New strategy type', call: 'createStrategyType', run: () => push({ edit: 'new' }) }}
      empty="No strategy types."
    >
      {search.edit === 'new' && <NewStrategyTypePanel onClose={close} />}
      {edited && <StrategyTypePanel key={edited.name} name={edited.name} onClose={close} />}
    </ListPage>
  );
}
