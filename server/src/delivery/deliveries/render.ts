import type { Reader } from '../../platform/db/database.ts';
import type { Keyring } from '../../platform/secrets/seal.ts';
import { loadReceivers } from '../integrations/receiver.ts';
import { planRequests } from '../sending/attempt.ts';
import { maskRequest } from '../sending/masked-request.ts';
import { toDeliveredEvent } from '../sending/store.ts';
import { MAX_RENDERED, type RenderedDelivery } from './schema.ts';
import type { RecordRow } from './store.ts';

export type RenderSettings = { keyring: Keyring; publicUrl: string };

/** A placeholder that has the same format as real delivery ids. */
const PREVIEW_ID = `dlv_${'0'.repeat(32)}`;

/** Creates the requests that would deliver an event, with secrets masked. Nothing is sent. */
export async function renderDelivery(
  db: Reader,
  settings: RenderSettings,
  integration: number,
  event: RecordRow['event'],
  report: (error: unknown) => void,
): Promise<RenderedDelivery> {
  const receiver = (await loadReceivers(db, settings.keyring, [integration])).get(integration);
  const emptyDelivery = { eventId: event.id, requests: [] };
  if (!receiver) return { ...emptyDelivery, problem: `Integration ${integration} does not exist.` };
  const claim = { event: toDeliveredEvent(event), isTest: false, webhookId: PREVIEW_ID };
  const plan = planRequests(claim, receiver, settings.publicUrl, report);
  if ('problem' in plan) return { ...emptyDelivery, problem: plan.problem };
  const requests = plan.outgoing.slice(0, MAX_RENDERED);
  return {
    eventId: event.id,
    requests: requests.map(request => maskRequest(request, plan.parameters)),
    problem: requests.length === 0 ? 'The configuration names no receiver.' : null,
  };
}
