import '@mantine/core/styles/FloatingIndicator.layer.css';
import '@mantine/core/styles/SegmentedControl.layer.css';
import { SegmentedControl } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { formatNumber } from '../ui/words.ts';
import { countQuery } from './queries.ts';

const OPEN_STATES = 'IS_ANY_OF:pending,retrying';
const DELIVERED_STATES = 'IS_ANY_OF:success,successWithErrors';
const FAILED_STATES = 'IS:failed';

/**
 * Offers the most common values of the `state` filter. A delivery that will be retried counts as in progress. The filter bar
 * offers other combinations.
 */
export function StateFilter({
  integrationId,
  value,
  onChange,
}: {
  integrationId: number | undefined;
  value: string | string[] | undefined;
  onChange(state: string | undefined): void;
}) {
  const openCount = useQuery(countQuery(integrationId, OPEN_STATES)).data ?? 0;
  const failedCount = useQuery(countQuery(integrationId, FAILED_STATES)).data ?? 0;
  return (
    <SegmentedControl
      aria-label="State"
      value={value === undefined ? 'all' : String(value)}
      data={[
        { value: 'all', label: 'All' },
        { value: OPEN_STATES, label: withCount('In progress', openCount) },
        { value: DELIVERED_STATES, label: 'Delivered' },
        { value: FAILED_STATES, label: withCount('Failed', failedCount) },
      ]}
      onChange={state => onChange(state === 'all' ? undefined : state)}
    />
  );
}

const withCount = (label: string, count: number): string =>
  count > 0 ? `${label} ${formatNumber(count)}` : label;
