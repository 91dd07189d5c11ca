import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { eventTypesQuery } from '../integrations/queries.ts';
import { type FilterField, IS } from '../ui/filters.ts';
import type { Search } from '../ui/search.ts';
import { STATE_LABELS } from './words.ts';

const FILTER_NAMES = ['state', 'status', 'type', 'query', 'from', 'to'];

/** Returns the delivery list's filters. */
export function useDeliveryFields(): readonly FilterField[] {
  const types = useQuery(eventTypesQuery).data?.eventTypes;
  return useMemo(
    (): FilterField[] => [
      {
        name: 'state',
        key: 'state',
        label: 'State',
        operators: IS,
        closed: true,
        options: Object.entries(STATE_LABELS).map(([value, label]) => ({ value, label })),
      },
      {
        name: 'status',
        key: 'status',
        label: 'HTTP status',
        operators: IS,
        options: ['5xx', '4xx', '3xx', '2xx', 'none'].map(value => ({ value })),
      },
      {
        name: 'type',
        key: 'type',
        label: 'Type',
        operators: IS,
        options: types?.filter(({ emitted }) => emitted).map(({ type, label }) => ({ value: type, label })),
      },
      { name: 'from', key: 'since', label: 'since', operators: { one: '' }, kind: 'day' },
      { name: 'to', key: 'before', label: 'before', operators: { one: '' }, kind: 'day' },
    ],
    [types],
  );
}

/** Returns the API query: the URL's parameters without those that only the page uses. */
export const toApiQuery = (search: Search): Search =>
  Object.fromEntries(
    FILTER_NAMES.flatMap(name => (search[name] === undefined ? [] : [[name, search[name]]])),
  );

/** Converts a day to midnight UTC, because the API takes timestamps. */
export const withInstants = (search: Search): Search => {
  const toInstant = (value: Search[string]): Search[string] =>
    typeof value === 'string' && /^\d{4}-\d{2}-\d{2}$/.test(value) ? `${value}T00:00:00Z` : value;
  return { ...search, from: toInstant(search.from), to: toInstant(search.to) };
};
