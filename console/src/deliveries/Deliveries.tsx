import { Check, CircleDashed, Clock, TriangleAlert, X } from 'lucide-react';
import { type ReactNode, useCallback } from 'react';
import type { Integration } from '../integrations/queries.ts';
import { Empty, NoMatch } from '../ui/Empty.tsx';
import { Failure } from '../ui/Failure.tsx';
import { FilterBar } from '../ui/FilterBar.tsx';
import { listFilters } from '../ui/filters.ts';
import { Keys } from '../ui/Keys.tsx';
import { List } from '../ui/List.tsx';
import { Sentence } from '../ui/Sentence.tsx';
import { Skeleton } from '../ui/Skeleton.tsx';
import { Split } from '../ui/Split.tsx';
import { StateIcon } from '../ui/State.tsx';
import type { Search } from '../ui/search.ts';
import { Time } from '../ui/Time.tsx';
import { useFilters } from '../ui/useFilters.ts';
import { formatCount } from '../ui/words.ts';
import { DeliveryStats } from './DeliveryStats.tsx';
import s from './deliveries.module.css';
import { toApiQuery, useDeliveryFields, withInstants } from './fields.ts';
import { Inspector } from './Inspector.tsx';
import type { Delivery } from './queries.ts';
import { StateFilter } from './StateFilter.tsx';
import { useDeliveries } from './useDeliveries.ts';
import { formatShortResult, STATE_LABELS, STATE_TONES } from './words.ts';

export type SelectedDelivery = Pick<Delivery, 'id' | 'integrationId'>;

const getKey = (delivery: Delivery): string => delivery.id;
const MOVE_HINT = ['j k', 'move'] as const;
const HINTS = [MOVE_HINT, ['r', 'redeliver'], ['e', 'open event'], ['[ ]', 'attempt']] as const;

/** Shows rates, filters and the list on the left, and the selected delivery on the right. */
export function Deliveries({
  integration,
  selected,
  getIntegrationName,
  onSelect,
}: {
  /** If undefined, the deliveries of all integrations are shown. */
  integration?: Integration;
  selected: SelectedDelivery | undefined;
  /** Returns an integration's name, for a list with several integrations. */
  getIntegrationName?(integrationId: number): string | undefined;
  onSelect(delivery: SelectedDelivery | undefined): void;
}) {
  const { search, push } = useFilters();
  const fields = useDeliveryFields();
  const deliveries = useDeliveries(integration?.id, toApiQuery(search));
  const change = (changedSearch: Search) => push(withInstants(changedSearch));
  const index = deliveries.rows?.findIndex(({ id }) => id === selected?.id) ?? -1;
  const neighborAt = (step: number) => (index >= 0 ? deliveries.rows?.[index + step] : undefined);
  const [newerDelivery, olderDelivery] = [neighborAt(-1), neighborAt(1)];
  return (
    <Split
      wide
      list={
        <>
          {integration && <DeliveryStats integration={integration} />}
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
              resultText={
                deliveries.total === undefined
                  ? undefined
                  : formatCount(
                      deliveries.total,
                      'delivery',
                      deliveries.isTotalExact ? 'deliveries' : 'or more deliveries',
                    )
              }
              hint="status:5xx, since:7d, or text to find"
              api={integration ? `/api/admin/addons/${integration.id}/events` : '/api/admin/deliveries'}
            />
          </div>
          <Rows
            deliveries={deliveries}
            index={index}
            getIntegrationName={getIntegrationName}
            onSelect={onSelect}
            empty={
              listFilters(search, fields).length > 0 ? (
                <NoMatch noun="deliveries" search={search} fields={fields} onChange={change} />
              ) : (
                <Empty>No deliveries yet. Send a test to see the first one.</Empty>
              )
            }
          />
          <Keys hints={selected ? HINTS : [MOVE_HINT]} />
        </>
      }
      detail={
        selected && (
          <Inspector
            key={`${selected.integrationId}/${selected.id}`}
            integrationId={selected.integrationId}
            deliveryId={selected.id}
            onNewer={newerDelivery && (() => onSelect(newerDelivery))}
            onOlder={olderDelivery && (() => onSelect(olderDelivery))}
            onClose={() => onSelect(undefined)}
          />
        )
      }
    />
  );
}

function Rows({
  deliveries,
  index,
  getIntegrationName,
  onSelect,
  empty,
}: {
  deliveries: ReturnType<typeof useDeliveries>;
  index: number;
  getIntegrationName: ((integrationId: number) => string | undefined) | undefined;
  onSelect(delivery: SelectedDelivery): void;
  empty: ReactNode;
}) {
  const render = useCallback(
    (delivery: Delivery) => <Row delivery={delivery} name={getIntegrationName?.(delivery.integrationId)} />,
    [getIntegrationName],
  );
  if (deliveries.error) return <Failure error={deliveries.error} onRetry={deliveries.retry} />;
  if (!deliveries.rows) return <Skeleton rows={12} height={56} />;
  if (deliveries.count === 0) return empty;
  return (
    <List
      label="Deliveries, newest first"
      count={deliveries.count}
      rowAt={deliveries.rowAt}
      getKey={getKey}
      height={56}
      render={render}
      activeIndex={index}
      onActive={onSelect}
      onVisible={deliveries.onVisible}
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
  const code = formatShortResult(lastStatus, lastOutcome, stateDetails);
  const isWithinLastDay = Date.now() - Date.parse(createdAt) < DAY_MS;
  return (
    <div className={s.row}>
      <StateIcon tone={STATE_TONES[state]} label={STATE_LABELS[state]} icon={ICONS[state]} />
      <span className={s.main}>
        <span className={s.line}>
          <Sentence event={delivery.event} />
        </span>
        <small>
          {name !== undefined && <span>{`to ${name}`}</span>}
          {attempts > 1 && <span>{formatCount(attempts, 'attempt')}</span>}
        </small>
      </span>
      <span className={s.code} data-tone={lastStatus !== null && lastStatus < 300 && !blocks ? 'on' : 'bad'}>
        {blocks ? 'blocking' : code || (state === 'pending' ? '' : STATE_LABELS[state].toLowerCase())}
      </span>
      <Time at={createdAt} format={isWithinLastDay ? 'clock' : 'date'} />
    </div>
  );
}
