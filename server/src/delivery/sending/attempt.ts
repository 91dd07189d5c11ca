import { createHash } from 'node:crypto';
import { toStorableText } from '@halyard/plane/platform/text.ts';
import type { OutgoingRequest, OutgoingResponse, Send } from '../../platform/outgoing/send.ts';
import { describeWithComment } from '../../record/events/describe.ts';
import { findProvider } from '../integrations/providers/list.ts';
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
import { maskHeaders } from './masked-request.ts';
import { makeRedactor } from './redact.ts';
import { decideNextState, type Outcome, parseRetryAfter } from './schedule.ts';
import type { Exchange, RequestHeader } from './schema.ts';
import { toStorableJson } from './storable-json.ts';

/** A delivery whose next attempt has started. */
export type Claim = {
  id: number;
  integrationId: number;
  attempt: number;
  failures: number;
  /** How long the attempt was overdue when it started. */
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
  /** Whether the delivery blocks later ones if it is exhausted. */
  blocks: boolean;
};

export type AttemptSettings = {
  send: Send;
  publicUrl: string;
  schedule: readonly number[];
};

const MAX_EVENT_CHARACTERS = 262_144;
const MAX_STORED_CHARACTERS = 65_536;
const CONFIGURATION_STATUSES = new Set([400, 401, 403, 404, 413, 422]);
const HINT_AFTER_ATTEMPTS = 3;

/**
 * Makes one attempt: plans the requests, sends them, and decides what follows. Never throws: errors of the server itself go to
 * `report`. After such an error, the attempt is not retried, because a retry could send a request twice.
 */
export async function attemptDelivery(
  claim: Claim,
  receiver: Receiver,
  settings: AttemptSettings,
  report: (error: unknown) => void,
): Promise<Result> {
  const startedAt = performance.now();
  const attemptFields = {
    delivery: claim.id,
    attempt: claim.attempt,
    integration: claim.integrationId,
    provider: receiver.provider,
    ordered: receiver.ordered,
    blocks: receiver.blocks,
    waitedMs: claim.waitedMs,
  };
  const durationMs = () => Math.round(performance.now() - startedAt);
  try {
    const outcome = await attempt(claim, receiver, settings, report);
    return { ...attemptFields, ...outcome, durationMs: durationMs() };
  } catch (error) {
    report(error);
    const stateDetails = `Attempt ${claim.attempt} failed. ${INTERNAL_ERROR}`;
    return { ...attemptFields, ...INTERNAL_FAILURE, stateDetails, durationMs: durationMs() };
  }
}

type AttemptOutcome = Omit<
  Result,
  'delivery' | 'attempt' | 'integration' | 'provider' | 'ordered' | 'blocks' | 'waitedMs' | 'durationMs'
>;

const INTERNAL_ERROR = 'The server failed to deliver the event. See the server log.';

const INTERNAL_FAILURE: Omit<AttemptOutcome, 'stateDetails'> = {
  outcome: 'configuration',
  status: null,
  address: null,
  error: INTERNAL_ERROR,
  response: null,
  headers: null,
  bodySha256: null,
  requestHeaders: null,
  state: 'failed',
  details: {},
  delayMs: 0,
};

/** Reduces a result to its outcome and the next state, in case PostgreSQL rejects the details. */
export const toMinimalResult = (result: Result): Result => ({
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
  const sentRequests = await sendRequests(claim, receiver, settings, report);
  const {
    outcome,
    error: problem,
    response,
  } = determineOutcome(sentRequests.responses, sentRequests.plan.requests, sentRequests.problem);
  const error = problem === undefined ? undefined : sentRequests.redact(problem);
  const next = decideNextState(
    outcome,
    claim.failures,
    settings.schedule,
    parseRetryAfter(response?.retryAfter ?? null, new Date()),
    Math.random(),
  );
  const delayMs = next.state === 'retrying' ? next.delayMs : 0;
  return {
    outcome,
    status: response?.status ?? null,
    address: response?.address ?? null,
    error: error === undefined ? null : toStorableText(error),
    response:
      response?.isPublic && response.text !== '' ? toStorableText(sentRequests.redact(response.text)) : null,
    headers: response?.isPublic ? toStorableHeaders(response.headers, sentRequests.redact) : null,
    bodySha256: sentRequests.bodySha256,
    requestHeaders: sentRequests.requestHeaders,
    state: next.state,
    stateDetails: toStorableText(
      describeOutcome(next.state, error, claim.failures + 1, settings.schedule.length, response),
    ),
    details: toStorableDetails(sentRequests.plan.details),
    delayMs,
  };
}

type SentRequests = {
  plan: Plan;
  responses: OutgoingResponse[];
  bodySha256: string | null;
  requestHeaders: RequestHeader[] | null;
  /** Masks the integration's secrets in the receiver's response. */
  redact: (text: string) => string;
  problem?: string;
};

const NOTHING_SENT: SentRequests = {
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
): Promise<SentRequests> {
  const plannedRequests = planRequests(claim, receiver, settings.publicUrl, report);
  if ('problem' in plannedRequests) return { ...NOTHING_SENT, ...plannedRequests };
  const { plan, outgoing, provider, parameters } = plannedRequests;
  const responses = await Promise.all(outgoing.map(request => settings.send(request)));
  const [firstRequest] = outgoing;
  return {
    plan,
    responses,
    bodySha256: firstRequest ? createHash('sha256').update(firstRequest.body).digest('hex') : null,
    // The requests of a delivery differ only in body and signature.
    requestHeaders: firstRequest ? maskHeaders(firstRequest.headers, parameters) : null,
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

/** Plans the requests of a delivery. Shows only the message of a `PlanError`, because other messages may contain secrets. */
export function planRequests(
  claim: Pick<Claim, 'event' | 'isTest' | 'webhookId'>,
  receiver: Receiver,
  publicUrl: string,
  report: (error: unknown) => void,
): PlannedRequests | { problem: string } {
  try {
    const provider = findProvider(receiver.provider);
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
    return { problem: INTERNAL_ERROR };
  }
}

/** Replaces the data of a large event with a link, because receivers reject large bodies. */
function withoutLargeData(event: DeliveredEvent, publicUrl: string): DeliveredEvent {
  if (JSON.stringify(event).length <= MAX_EVENT_CHARACTERS) return event;
  const link = `${publicUrl}/api/admin/events/${event.id}`;
  return { ...event, data: { truncated: true, link }, preData: null };
}

function determineOutcome(
  responses: OutgoingResponse[],
  requests: PlannedRequest[],
  problem: string | undefined,
): { outcome: Outcome; error?: string; response?: OutgoingResponse } {
  if (responses.length === 0)
    return { outcome: 'configuration', error: problem ?? 'The configuration names no receiver.' };
  const problems = responses.flatMap((response, index) => {
    const request = requests[index];
    const rejection = request?.rejection?.(response);
    const message = rejection?.message ?? findProblem(response);
    if (message === undefined) return [];
    const error = request?.channel ? `${request.channel}: ${message}` : message;
    return [{ response, error, isPermanent: rejection?.isPermanent ?? false }];
  });
  const [firstProblem] = problems;
  if (!firstProblem) return { outcome: 'success', ...(responses[0] ? { response: responses[0] } : {}) };
  const error = problems.map(failure => failure.error).join(' ');
  if (problems.length < responses.length)
    return { outcome: 'partial', error, response: firstProblem.response };
  // Retries all requests if at least one of them may succeed later.
  const retryable = problems.find(failure => !failure.isPermanent);
  if (!retryable) return { outcome: 'configuration', error, response: firstProblem.response };
  return { outcome: toOutcome(retryable.response), error, response: retryable.response };
}

function findProblem({ status, error }: OutgoingResponse): string | undefined {
  if (error !== null) return error;
  if (status !== null && status >= 200 && status < 300) return undefined;
  const redirect = status !== null && status >= 300 && status < 400 ? ' Redirects are not followed.' : '';
  return `The receiver responded with ${status}.${redirect}`;
}

function toOutcome({ status, failure }: OutgoingResponse): Outcome {
  return failure ?? (status === 410 ? 'gone' : 'rejected');
}

/** Describes the outcome without the time of the next attempt, which is added when the record is read. */
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
      ? " Check the integration's configuration."
      : '';
  if (state === 'failed')
    return `Failed after ${attempts} ${attempts === 1 ? 'attempt' : 'attempts'}. ${error}${hint}`;
  return `Attempt ${attempts} of ${maxAttempts} failed. ${error}${hint}`;
}

const toStorableHeaders = (
  headers: Record<string, string>,
  redact: (text: string) => string,
): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [
      toStorableText(redact(name)),
      toStorableText(redact(value)),
    ]),
  );

const toStorableDetails = (details: Record<string, unknown>): object =>
  toStorableJson(details, MAX_STORED_CHARACTERS) ?? {
    note: `The body has more than ${MAX_STORED_CHARACTERS.toLocaleString('en')} characters and is not stored.`,
  };
