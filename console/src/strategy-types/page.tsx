import { useQuery } from '@tanstack/react-query';
import { useCallback } from 'react';
import { ListPage } from '../ui/ListPage.tsx';
import { Cell } from '../ui/Row.tsx';
import { State } from '../ui/State.tsx';
import { useFilters } from '../ui/useFilters.ts';
import { formatCount } from '../ui/words.ts';
import { type StrategyType, strategyTypesQuery } from './queries.ts';
import { NewStrategyTypePanel, StrategyTypePanel } from './StrategyTypePanel.tsx';
import s from './strategy-types.module.css';

const getKey = ({ name }: StrategyType): string => name;
const getSearchText = ({ name, displayName, description }: StrategyType): string =>
  [name, displayName, description].join('\n');
/** Returns the display name, or the name if there is none. */
const getTitle = ({ name, displayName }: StrategyType): string => displayName || name;
const COLUMNS = [
  {
    label: 'Strategy type',
    compare: (a: StrategyType, b: StrategyType) => getTitle(a).localeCompare(getTitle(b)),
  },
  { label: 'Parameters' },
  { label: 'Origin' },
  { label: 'State' },
];

/** Lists the strategy types that every SDK has, and those that your own applications implement. */
export function StrategyTypesPage() {
  const { data, error, refetch } = useQuery(strategyTypesQuery);
  const { search, push, replace } = useFilters();
  const openType = useCallback(({ name }: StrategyType) => push({ edit: `type:${name}` }), [push]);
  const renderRow = useCallback(
    (type: StrategyType) => (
      <>
        <Cell variant="name">
          <button type="button" className={s.name} onClick={() => openType(type)}>
            {getTitle(type)}
          </button>
          <small>{type.description || type.name}</small>
        </Cell>
        <Cell variant="dim">{formatCount(type.parameters.length, 'parameter')}</Cell>
        <Cell variant="dim">{type.editable ? 'Custom' : 'Built-in'}</Cell>
        <Cell>{type.deprecated && <State tone="warn">Deprecated</State>}</Cell>
      </>
    ),
    [openType],
  );
  const close = () => replace({ edit: undefined });
  const editedType = data?.find(({ name }) => search.edit === `type:${name}`);
  return (
    <ListPage
      title="Strategy types"
      noun="strategy type"
      rows={data}
      error={error}
      onRetry={() => void refetch()}
      getKey={getKey}
      getSearchText={getSearchText}
      placeholder="Name or description"
      columns={COLUMNS}
      className={s.columns ?? ''}
      render={renderRow}
      onOpen={openType}
      create={{ label: 'New strategy type', call: 'createStrategyType', run: () => push({ edit: 'new' }) }}
      empty="No strategy types."
    >
      {search.edit === 'new' && <NewStrategyTypePanel onClose={close} />}
      {editedType && <StrategyTypePanel key={editedType.name} name={editedType.name} onClose={close} />}
    </ListPage>
  );
}
