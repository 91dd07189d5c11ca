import { createHash } from 'node:crypto';
import { storableText } from '../../../../plane/src/platform/text.ts';
import type { OutgoingRequest, OutgoingResponse, Send } from '../../platform/outgoing/send.ts';
import { describeWithComment } from '../../record/events/describe.ts';
import { providerNamed } from '../integrations/providers/list.ts';
import {
  type DeliveredEvent,
  type Parameters,
  type Plan,
  PlanError,
  type PlannedRequest,
  type Provider,
} from '../integrations/providers/provider.ts';
import type { Receiver } from '../integrations/receiver.ts';
import { signatureHeaders } from '../integrations/signing.ts';
import { makeRedactor } from './redact.ts';
import { nextStep, type Outcome, retryAfterMs } from './schedule.ts';
import type { Exchange, RequestHeader } from './schema.ts';
import { shownHeaders } from './shown-request.ts';
import { storableJson } from './storable-json.ts';

/** A delivery with a started attempt. */
export type Claim = {
  id: number;
  integrationId: number;
  attempt: number;
  failures: number;
  /** Time since it was due. */
  waitedMs: number;
  webhookId: string;
  isTest: boolean;
  event: DeliveredEvent;
};

/** The stored outcome of an attempt. */
export type Result = Exchange & {
  delivery: number;
  attempt: number;
  integration: number;
  provider: string;
  ordered: boolean;
  outcome: Outcome;
  waitedMs: number;
  durationMs: number;
  state: 'success' | 'successWithErrors' | 'failed' | 'retrying';
  stateDetails: string;
  details: object;
  delayMs: number;
  /** If exhausted, it blocks later deliveries. */
  blocks: boolean;
};

export type AttemptSettings = {
  send: Send;
  publicUrl: string;
  schedule: readonly number[];
};

const MAX_BODY = 262_144;
const MAX_STORED_BODY = 65_536;
const CONFIGURATION_STATUSES = new Set([400, 401, 403, 404, 413, 422]);
const HINT_AFTER_ATTEMPTS = 3;

/**
 * Makes one attempt: plans the requests, sends them, and decides what follows. It never throws. `report` receives errors of the
 * server itself. Such an attempt is not retried, because a retry could send a request twice.
 */
export async function attemptDelivery(
  claim: Claim,
  receiver: Receiver,
  settings: AttemptSettings,
  report: (error: unknown) => void,
): Promise<Result> {
  const started = performance.now();
  const measured = {
    delivery: claim.id,
    attempt: claim.attempt,
    integration: claim.integrationId,
    provider: receiver.provider,
    ordered: receiver.ordered,
    blocks: receiver.blocks,
    waitedMs: claim.waitedMs,
  };
  const durationMs = () => Math.round(performance.now() - started);
  try {
    const outcome = await attempt(claim, receiver, settings, report);
    return { ...measured, ...outcome, durationMs: durationMs() };
  } catch (error) {
    report(error);
    const stateDetails = `Attempt ${claim.attempt} failed. ${INTERNAL}`;
    return { ...measured, ...INTERNAL_FAILURE, stateDetails, durationMs: durationMs() };
  }
}

type AttemptOutcome = Omit<
  Result,
  'delivery' | 'attempt' | 'integration' | 'provider' | 'ordered' | 'blocks' | 'waitedMs' | 'durationMs'
>;

const INTERNAL = 'The server failed to deliver the event. See the server log.';

const INTERNAL_FAILURE: Omit<AttemptOutcome, 'stateDetails'> = {
  outcome: 'configuration',
  status: null,
  address: null,
  error: INTERNAL,
  response: null,
  headers: null,
  bodySha256: null,
  requestHeaders: null,
  state: 'failed',
  details: {},
  delayMs: 0,
};

/** The minimal part of a result, stored if PostgreSQL rejects the rest: the outcome, and what follows. */
export const minimalResult = (result: Result): Result => ({
  ...result,
  address: null,
  error: null,
  response: null,
  headers: null,
  bodySha256: null,
  requestHeaders: null,
  stateDetails: `Attempt ${result.attempt} ended with ${result.outcome}. Its details could not be stored.`,
  details: {},
});

async function attempt(
  claim: Claim,
  receiver: Receiver,
  settings: AttemptSettings,
  report: (error: unknown) => void,
): Promise<AttemptOutcome> {
  const sent = await sendRequests(claim, receiver, settings, report);
  const { outcome, error: problem, response } = judge(sent.responses, sent.plan.requests, sent.problem);
  const error = problem === undefined ? undefined : sent.redact(problem);
  const next = nextStep(
    outcome,
    claim.failures,
    settings.schedule,
    retryAfterMs(response?.retryAfter ?? null, new Date()),
    Math.random(),
  );
  const delayMs = next.state === 'retrying' ? next.delayMs : 0;
  return {
    outcome,
    status: response?.status ?? null,
    address: response?.address ?? null,
    error: error === undefined ? null : storableText(error),
    response: response?.isPublic && response.text !== '' ? storableText(sent.redact(response.text)) : null,
    headers: response?.isPublic ? storableHeaders(response.headers, sent.redact) : null,
    bodySha256: sent.bodySha256,
    requestHeaders: sent.requestHeaders,
    state: next.state,
    stateDetails: storableText(
      describeOutcome(next.state, error, claim.failures + 1, settings.schedule.length, response),
    ),
    details: storableDetails(sent.plan.details),
    delayMs,
  };
}

type Sent = {
  plan: Plan;
  responses: OutgoingResponse[];
  bodySha256: string | null;
  requestHeaders: RequestHeader[] | null;
  /** Masks the integration's secrets in what the receiver sent. */
  redact: (text: string) => string;
  problem?: string;
};

const NOTHING_SENT: Sent = {
  plan: { requests: [], details: {} },
  responses: [],
  bodySha256: null,
  requestHeaders: null,
  redact: text => text,
};

async function sendRequests(
  claim: Claim,
  receiver: Receiver,
  settings: AttemptSettings,
  report: (error: unknown) => void,
): Promise<Sent> {
  const planned = planRequests(claim, receiver, settings.publicUrl, report);
  if ('problem' in planned) return { ...NOTHING_SENT, ...planned };
  const { plan, outgoing, provider, parameters } = planned;
  const responses = await Promise.all(outgoing.map(request => settings.send(request)));
  const [first] = outgoing;
  return {
    plan,
    responses,
    bodySha256: first ? createHash('sha256').update(first.body).digest('hex') : null,
    // The requests of a delivery differ in their body and signature only.
    requestHeaders: first ? shownHeaders(first.headers, parameters) : null,
    redact: makeRedactor(
      provider,
      parameters,
      outgoing.flatMap(({ headers }) => headers['webhook-signature'] ?? []),
    ),
  };
}

export type PlannedRequests = {
  plan: Plan;
  outgoing: OutgoingRequest[];
  provider: Provider;
  parameters: Parameters;
};

/** The requests of a delivery. Only the message of a `PlanError` is shown. Messages of other errors may contain parts of a secret. */
export function planRequests(
  claim: Pick<Claim, 'event' | 'isTest' | 'webhookId'>,
  receiver: Receiver,
  publicUrl: string,
  report: (error: unknown) => void,
): PlannedRequests | { problem: string } {
  try {
    const provider = providerNamed(receiver.provider);
    if (!provider) throw new PlanError(`Provider "${receiver.provider}" does not exist.`);
    const { parameters, keys } = receiver.open();
    const event = withoutLargeData(claim.event, publicUrl);
    const plan = provider.plan({
      event,
      ...describeWithComment(event),
      parameters,
      publicUrl,
      isTest: claim.isTest,
    });
    const outgoing = plan.requests.map(request => ({
      url: request.url,
      body: request.body,
      headers: {
        'user-agent': 'Halyard',
        ...request.headers,
        ...signatureHeaders(claim.webhookId, new Date(), request.body, provider.signed ? keys : []),
        'x-event-id': String(event.id),
      },
    }));
    return { plan, outgoing, provider, parameters };
  } catch (error) {
    if (error instanceof PlanError) return { problem: `The request could not be created. ${error.message}` };
    report(error);
    return { problem: INTERNAL };
  }
}

/** Replaces the data of a large event with a link, because receivers reject large bodies. */
function withoutLargeData(event: DeliveredEvent, publicUrl: string): DeliveredEvent {
  if (JSON.stringify(event).length <= MAX_BODY) return event;
  const link = `${publicUrl}/api/admin/events/${event.id}`;
  return { ...event, data: { truncated: true, link }, preData: null };
}

function judge(
  responses: OutgoingResponse[],
  requests: PlannedRequest[],
  problem: string | undefined,
): { outcome: Outcome; error?: string; response?: OutgoingResponse } {
  if (responses.length === 0) {
    return { outcome: 'configuration', error: problem ?? 'The configuration names no receiver.' };
  }
  const problems = responses.flatMap((response, index) => {
    const request = requests[index];
    const rejection = request?.rejection?.(response);
    const message = rejection?.message ?? problemOf(response);
    if (message === undefined) return [];
    const error = request?.about ? `${request.about}: ${message}` : message;
    return [{ response, error, isPermanent: rejection?.isPermanent ?? false }];
  });
  const [first] = problems;
  if (!first) return { outcome: 'success', ...(responses[0] ? { response: responses[0] } : {}) };
  const error = problems.map(one => one.error).join(' ');
  if (problems.length < responses.length) return { outcome: 'partial', error, response: first.response };
  // If one of several requests may succeed later, all of them are retried.
  const last = problems.find(one => !one.isPermanent);
  if (!last) return { outcome: 'configuration', error, response: first.response };
  return { outcome: outcomeOf(last.response), error, response: last.response };
}

function problemOf({ status, error }: OutgoingResponse): string | undefined {
  if (error !== null) return error;
  if (status !== null && status >= 200 && status < 300) return undefined;
  const redirect = status !== null && status >= 300 && status < 400 ? ' Redirects are not followed.' : '';
  return `The receiver responded with ${status}.${redirect}`;
}

function outcomeOf({ status, failure }: OutgoingResponse): Outcome {
  return failure ?? (status === 410 ? 'gone' : 'rejected');
}

/** The time of the next attempt is added when the record is read. */
function describeOutcome(
  state: Result['state'],
  error: string | undefined,
  attempts: number,
  maxAttempts: number,
  response: OutgoingResponse | undefined,
): string {
  if (state === 'success') return `Delivered. The receiver responded with ${response?.status}.`;
  if (state === 'successWithErrors') return `Partially delivered. ${error}`;
  const hint =
    attempts >= HINT_AFTER_ATTEMPTS && CONFIGURATION_STATUSES.has(response?.status ?? 0)
      ? ' Check the configuration of the integration.'
      : '';
  if (state === 'failed')
    return `Failed after ${attempts} ${attempts === 1 ? 'attempt' : 'attempts'}. ${error}${hint}`;
  return `Attempt ${attempts} of ${maxAttempts} failed. ${error}${hint}`;
}

const storableHeaders = (
  headers: Record<string, string>,
  redact: (text: string) => string,
): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [storableText(redact(name)), storableText(redact(value))]),
  );

const storableDetails = (details: Record<string, unknown>): object =>
  storableJson(details, MAX_STORED_BODY) ?? {
    note: `The body has more than ${MAX_STORED_BODY.toLocaleString('en')} characters and is not stored.`,
  };
