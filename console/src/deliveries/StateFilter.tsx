import '@mantine/core/styles/FloatingIndicator.layer.css';
import '@mantine/core/styles/SegmentedControl.layer.css';
import { SegmentedControl } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { formatNumber } from '../ui/words.ts';
import { countQuery } from './queries.ts';
import { STATE_LABELS } from './words.ts';

const PENDING_STATES = 'IS:pending';
const RETRYING_STATES = 'IS:retrying';
const DELIVERED_STATES = 'IS_ANY_OF:success,successWithErrors';
const FAILED_STATES = 'IS:failed';

/** Offers the most common values of the `state` filter. The filter bar offers other combinations. */
export function StateFilter({
  integrationId,
  value,
  onChange,
}: {
  integrationId: number | undefined;
  value: string | string[] | undefined;
  onChange(state: string | undefined): void;
}) {
  const pendingCount = useQuery(countQuery(integrationId, PENDING_STATES)).data ?? 0;
  const retryingCount = useQuery(countQuery(integrationId, RETRYING_STATES)).data ?? 0;
  const failedCount = useQuery(countQuery(integrationId, FAILED_STATES)).data ?? 0;
  return (
    <SegmentedControl
      aria-label="State"
      value={value === undefined ? 'all' : String(value)}
      data={[
        { value: 'all', label: 'All' },
        { value: PENDING_STATES, label: withCount(STATE_LABELS.pending, pendingCount) },
        { value: RETRYING_STATES, label: withCount(STATE_LABELS.retrying, retryingCount) },
        { value: DELIVERED_STATES, label: STATE_LABELS.success },
        { value: FAILED_STATES, label: withCount(STATE_LABELS.failed, failedCount) },
      ]}
      onChange={state => onChange(state === 'all' ? undefined : state)}
    />
  );
}

const withCount = (label: string, count: number): string =>
  count > 0 ? `${label} ${formatNumber(count)}` : label;
