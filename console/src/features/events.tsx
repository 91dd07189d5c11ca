import { useNavigate } from '@tanstack/react-router';
import { useCallback, useMemo } from 'react';
import { EventLog } from '../events/EventLog.tsx';
import { useEvents } from '../events/useEvents.ts';
import type { Search } from '../ui/search.ts';
import { useFilters } from '../ui/useFilters.ts';
import { FlagFrame } from './Frame.tsx';
import type { Feature } from './queries.ts';

/** Shows the events of one flag, including those from before the flag moved to its project. */
export function FeatureEventsPage() {
  return <FlagFrame>{feature => <Events key={feature.name} feature={feature} />}</FlagFrame>;
}

function Events({ feature }: { feature: Feature }) {
  const { search, replace } = useFilters();
  const navigate = useNavigate();
  const filters = useMemo((): Search => ({ feature: `IS:${feature.name}` }), [feature.name]);
  const events = useEvents(filters, true);
  const select = useCallback((id: string | undefined) => replace({ event: id }), [replace]);
  return (
    <EventLog
      events={events}
      filters={filters}
      selected={typeof search.event === 'string' ? search.event : undefined}
      onSelect={select}
      // Opens the log of all events, because only that page has a filter bar that shows and removes a range.
      onRange={range => void navigate({ to: '/events', search: { ...filters, ...range } })}
    />
  );
}
