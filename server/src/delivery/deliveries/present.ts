import type { Reader } from '../../platform/db/database.ts';
import { presentEvent } from '../../record/events/present.ts';
import type { IntegrationEvent, ReplayPlan } from './schema.ts';
import type { FoundRecords } from './search.ts';
import { listEventsById, type RecordRow, type ReplayRange } from './store.ts';

export const presentRecords = ({ records, ...result }: FoundRecords) => ({
  integrationEvents: records.map(present),
  ...result,
});

/** Presents a record. Before the first attempt, the details contain the event's summary. */
export function present({ event, provider, ...record }: RecordRow): IntegrationEvent {
  const presentedEvent = presentForAdmin(event);
  const isEmpty = Object.keys(record.details).length === 0;
  return {
    ...record,
    details: isEmpty ? { provider, message: presentedEvent.summary } : record.details,
    event: presentedEvent,
  };
}

/** Includes the IP address, because only root admins can call the delivery routes. The parts of the summary are for the console. */
export const presentForAdmin = (event: RecordRow['event']) => ({
  ...presentEvent(event, { parts: true }),
  ip: event.ip,
});

/** Presents the result of a dry run, with the first and the last event. */
export async function presentPlan(
  db: Reader,
  { deliveries, first, last }: ReplayRange,
  complete: boolean,
): Promise<ReplayPlan> {
  const events = await listEventsById(
    db,
    [first, last].filter(id => id !== null),
  );
  const presentById = (id: number | null) => {
    const event = events.find(candidate => candidate.id === id);
    return event ? presentForAdmin(event) : null;
  };
  return { deliveries, complete, firstEvent: presentById(first), lastEvent: presentById(last) };
}
