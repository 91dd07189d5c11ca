import { Check, CircleDashed, Clock, TriangleAlert, X } from 'lucide-react';
import { type ReactNode, useCallback } from 'react';
import type { Integration } from '../integrations/queries.ts';
import { Empty, NoMatch } from '../ui/Empty.tsx';
import { Failure } from '../ui/Failure.tsx';
import { FilterBar } from '../ui/FilterBar.tsx';
import { filtersOf } from '../ui/filters.ts';
import { Keys } from '../ui/Keys.tsx';
import { List } from '../ui/List.tsx';
import { Sentence } from '../ui/Sentence.tsx';
import { Skeleton } from '../ui/Skeleton.tsx';
import { Split } from '../ui/Split.tsx';
import { StateIcon } from '../ui/State.tsx';
import type { Search } from '../ui/search.ts';
import { Time } from '../ui/Time.tsx';
import { useFilters } from '../ui/useFilters.ts';
import { counted } from '../ui/words.ts';
import s from './deliveries.module.css';
import { queryOf, useDeliveryFields, withInstants } from './fields.ts';
import { Inspector } from './Inspector.tsx';
import type { Delivery } from './queries.ts';
import { StateFilter } from './StateFilter.tsx';
import { Strip } from './Strip.tsx';
import { useDeliveries } from './useDeliveries.ts';
import { codeOf, STATE_TONES, STATE_WORDS } from './words.ts';

export type Selected = Pick<Delivery, 'id' | 'integrationId'>;

const keyOf = (delivery: Delivery): string => delivery.id;
const MOVE = ['j k', 'move'] as const;
const HINTS = [MOVE, ['r', 'redeliver'], ['e', 'open event'], ['[ ]', 'attempt']] as const;

/** Rates, filters and the list at the left, the selected delivery at the right. */
export function Deliveries({
  integration,
  selected,
  nameOf,
  onSelect,
}: {
  /** Without one: the deliveries of all integrations. */
  integration?: Integration;
  selected: Selected | undefined;
  /** The name of an integration, for lists of several. */
  nameOf?(integrationId: number): string | undefined;
  onSelect(delivery: Selected | undefined): void;
}) {
  const { search, push } = useFilters();
  const fields = useDeliveryFields();
  const found = useDeliveries(integration?.id, queryOf(search));
  const change = (next: Search) => push(withInstants(next));
  const index = found.rows?.findIndex(({ id }) => id === selected?.id) ?? -1;
  const at = (step: number) => (index >= 0 ? found.rows?.[index + step] : undefined);
  const [newer, older] = [at(-1), at(1)];
  return (
    <Split
      wide
      list={
        <>
          {integration && <Strip integration={integration} />}
          <div className={s.tools}>
            <StateFilter
              integrationId={integration?.id}
              value={search.state}
              onChange={state => push({ state })}
            />
            <FilterBar
              fields={fields}
              search={search}
              onChange={change}
              found={
                found.total === undefined
                  ? undefined
                  : counted(found.total, 'delivery', found.isTotalExact ? 'deliveries' : 'or more deliveries')
              }
              hint="status:5xx, since:7d, or text to find"
              api={integration ? `/api/admin/addons/${integration.id}/events` : '/api/admin/deliveries'}
            />
          </div>
          <Rows
            found={found}
            index={index}
            nameOf={nameOf}
            onSelect={onSelect}
            empty={
              filtersOf(search, fields).length > 0 ? (
                <NoMatch noun="deliveries" search={search} fields={fields} onChange={change} />
              ) : (
                <Empty>No deliveries yet. Send a test to see the first one.</Empty>
              )
            }
          />
          <Keys hints={selected ? HINTS : [MOVE]} />
        </>
      }
      detail={
        selected && (
          <Inspector
            key={`${selected.integrationId}/${selected.id}`}
            integrationId={selected.integrationId}
            deliveryId={selected.id}
            onNewer={newer && (() => onSelect(newer))}
            onOlder={older && (() => onSelect(older))}
            onClose={() => onSelect(undefined)}
          />
        )
      }
    />
  );
}

function Rows({
  found,
  index,
  nameOf,
  onSelect,
  empty,
}: {
  found: ReturnType<typeof useDeliveries>;
  index: number;
  nameOf: ((integrationId: number) => string | undefined) | undefined;
  onSelect(delivery: Selected): void;
  empty: ReactNode;
}) {
  const render = useCallback(
    (delivery: Delivery) => <Row delivery={delivery} name={nameOf?.(delivery.integrationId)} />,
    [nameOf],
  );
  if (found.error) return <Failure error={found.error} onRetry={found.retry} />;
  if (!found.rows) return <Skeleton rows={12} height={56} />;
  if (found.count === 0) return empty;
  return (
    <List
      label="Deliveries, newest first"
      count={found.count}
      rowAt={found.rowAt}
      keyOf={keyOf}
      height={56}
      render={render}
      activeIndex={index}
      onActive={onSelect}
      onVisible={found.onVisible}
    />
  );
}

const ICONS: Record<Delivery['state'], ReactNode> = {
  pending: <CircleDashed size={12} />,
  retrying: <Clock size={12} strokeWidth={2.4} />,
  success: <Check size={12} strokeWidth={3} />,
  successWithErrors: <TriangleAlert size={12} />,
  failed: <X size={12} strokeWidth={3} />,
};

const DAY_MS = 86_400_000;

function Row({ delivery, name }: { delivery: Delivery; name: string | undefined }) {
  const { state, stateDetails, attempts, lastStatus, lastOutcome, blocks, createdAt } = delivery;
  const code = codeOf(lastStatus, lastOutcome, stateDetails);
  const isToday = Date.now() - Date.parse(createdAt) < DAY_MS;
  return (
    <div className={s.row}>
      <StateIcon tone={STATE_TONES[state]} label={STATE_WORDS[state]} icon={ICONS[state]} />
      <span className={s.main}>
        <span className={s.line}>
          <Sentence event={delivery.event} />
        </span>
        <small>
          {name !== undefined && <span>{`to ${name}`}</span>}
          {attempts > 1 && <span>{counted(attempts, 'attempt')}</span>}
        </small>
      </span>
      <span className={s.code} data-tone={lastStatus !== null && lastStatus < 300 && !blocks ? 'on' : 'bad'}>
        {blocks ? 'blocks' : code || (state === 'pending' ? '' : STATE_WORDS[state].toLowerCase())}
      </span>
      <Time at={createdAt} as={isToday ? 'clock' : 'date'} />
    </div>
  );
}
