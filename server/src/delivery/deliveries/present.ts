import type { Reader } from '../../platform/db/database.ts';
import { presentEvent } from '../../record/events/present.ts';
import type { IntegrationEvent, ReplayPlan } from './schema.ts';
import type { FoundRecords } from './search.ts';
import { listEventsOf, type RecordRow, type ReplayRange } from './store.ts';

export const presentFound = ({ records, ...found }: FoundRecords) => ({
  integrationEvents: records.map(present),
  ...found,
});

/** Before the first attempt, the details contain the summary of the event. */
export function present({ event, provider, ...record }: RecordRow): IntegrationEvent {
  const shown = withIp(event);
  const isEmpty = Object.keys(record.details).length === 0;
  return {
    ...record,
    details: isEmpty ? { provider, message: shown.summary } : record.details,
    event: shown,
  };
}

/** Only root admins call these routes, so the IP address is included. The console links the names in the parts of the summary. */
export const withIp = (event: RecordRow['event']) => ({
  ...presentEvent(event, { parts: true }),
  ip: event.ip,
});

/** The plan of a dry run, with its first and last event. */
export async function presentPlan(
  db: Reader,
  { deliveries, first, last }: ReplayRange,
  complete: boolean,
): Promise<ReplayPlan> {
  const events = await listEventsOf(
    db,
    [first, last].filter(id => id !== null),
  );
  const shown = (id: number | null) => {
    const event = events.find(one => one.id === id);
    return event ? withIp(event) : null;
  };
  return { deliveries, complete, firstEvent: shown(first), lastEvent: shown(last) };
}
