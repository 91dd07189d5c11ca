import type { Reader } from '../../platform/db/database.ts';
import type { Keyring } from '../../platform/secrets/seal.ts';
import { loadReceivers } from '../integrations/receiver.ts';
import { planRequests } from '../sending/attempt.ts';
import { shownRequest } from '../sending/shown-request.ts';
import { asDelivered } from '../sending/store.ts';
import { MAX_RENDERED, type RenderedDelivery } from './schema.ts';
import type { RecordRow } from './store.ts';

export type RenderSettings = { keyring: Keyring; publicUrl: string };

/** The real id of a delivery has the same form. */
const PREVIEW_ID = `dlv_${'0'.repeat(32)}`;

/** The requests that would deliver an event, with secrets masked. Nothing is sent. */
export async function renderDelivery(
  db: Reader,
  settings: RenderSettings,
  integration: number,
  event: RecordRow['event'],
  report: (error: unknown) => void,
): Promise<RenderedDelivery> {
  const receiver = (await loadReceivers(db, settings.keyring, [integration])).get(integration);
  const nothing = { eventId: event.id, requests: [] };
  if (!receiver) return { ...nothing, problem: `Integration ${integration} does not exist.` };
  const claim = { event: asDelivered(event), isTest: false, webhookId: PREVIEW_ID };
  const planned = planRequests(claim, receiver, settings.publicUrl, report);
  if ('problem' in planned) return { ...nothing, problem: planned.problem };
  const requests = planned.outgoing.slice(0, MAX_RENDERED);
  return {
    eventId: event.id,
    requests: requests.map(request => shownRequest(request, planned.parameters)),
    problem: requests.length === 0 ? 'The configuration names no receiver.' : null,
  };
}
