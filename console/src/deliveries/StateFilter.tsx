import '@mantine/core/styles/FloatingIndicator.layer.css';
import '@mantine/core/styles/SegmentedControl.layer.css';
import { SegmentedControl } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { formatNumber } from '../ui/words.ts';
import { countQuery } from './queries.ts';

const OPEN = 'IS_ANY_OF:pending,retrying';
const DELIVERED = 'IS_ANY_OF:success,successWithErrors';
const FAILED = 'IS:failed';

/**
 * The most common values of the filter `state`. A delivery that will be retried has not failed yet, so it counts as in progress. For
 * other combinations, people use the filter bar.
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
  const open = useQuery(countQuery(integrationId, OPEN)).data ?? 0;
  const failed = useQuery(countQuery(integrationId, FAILED)).data ?? 0;
  return (
    <SegmentedControl
      aria-label="State"
      value={value === undefined ? 'all' : String(value)}
      data={[
        { value: 'all', label: 'All' },
        { value: OPEN, label: withCount('In progress', open) },
        { value: DELIVERED, label: 'Delivered' },
        { value: FAILED, label: withCount('Failed', failed) },
      ]}
      onChange={next => onChange(next === 'all' ? undefined : next)}
    />
  );
}

const withCount = (word: string, count: number): string =>
  count > 0 ? `${word} ${formatNumber(count)}` : word;
