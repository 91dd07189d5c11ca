import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { eventTypesQuery } from '../integrations/queries.ts';
import { type FilterField, IS } from '../ui/filters.ts';
import type { Search } from '../ui/search.ts';
import { STATE_WORDS } from './words.ts';

const NAMES = ['state', 'status', 'type', 'query', 'from', 'to'];

/** The filters of the delivery list. */
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
        options: Object.entries(STATE_WORDS).map(([value, label]) => ({ value, label })),
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

/** The query of the API: the URL without what belongs to the page. */
export const queryOf = (search: Search): Search =>
  Object.fromEntries(NAMES.flatMap(name => (search[name] === undefined ? [] : [[name, search[name]]])));

/** A typed day becomes its first instant in UTC, because the API takes instants. */
export const withInstants = (search: Search): Search => {
  const instantOf = (value: Search[string]): Search[string] =>
    typeof value === 'string' && /^\d{4}-\d{2}-\d{2}$/.test(value) ? `${value}T00:00:00Z` : value;
  return { ...search, from: instantOf(search.from), to: instantOf(search.to) };
};
