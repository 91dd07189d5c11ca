import { createHash } from 'node:crypto';
import type { Answer, OutgoingRequest, Send } from '../../platform/outgoing/send.ts';
import { storableText } from '../../platform/text.ts';
import { describe } from '../../record/events/describe.ts';
import { providerNamed } from '../integrations/providers/list.ts';
import {
  type DeliveredEvent,
  type Plan,
  PlanError,
  type PlannedRequest,
} from '../integrations/providers/provider.ts';
import type { Receiver } from '../integrations/receiver.ts';
import { signatureHeaders } from '../integrations/signing.ts';
import { nextStep, type Outcome, retryAfterMs } from './schedule.ts';
import { storableJson } from './storable-json.ts';

/** A delivery of which an attempt has been started. */
export type Claim = {
  id: number;
  integrationId: number;
  attempt: number;
  failures: number;
  /** From when it was due to now. */
  waitedMs: number;
  webhookId: string;
  isTest: boolean;
  event: DeliveredEvent;
};

/** What an attempt came to, as it is stored. */
export type Result = {
  delivery: number;
  attempt: number;
  integration: number;
  provider: string;
  ordered: boolean;
  outcome: Outcome;
  waitedMs: number;
  durationMs: number;
  status: number | null;
  address: string | null;
  error: string | null;
  answer: string | null;
  headers: Record<string, string> | null;
  bodySha256: string | null;
  state: 'success' | 'successWithErrors' | 'failed' | 'retrying';
  stateDetails: string;
  details: object;
  delayMs: number;
  /** Given up, it holds up those behind it. */
  holds: boolean;
};

export type AttemptSettings = {
  send: Send;
  publicUrl: string;
  schedule: readonly number[];
};

const MAX_BODY = 262_144;
const MAX_KEPT_BODY = 65_536;
const LOOKS_LIKE_CONFIGURATION = new Set([400, 401, 403, 404, 413, 422]);
const CONFIGURATION_AFTER = 3;

/**
 * One attempt to deliver: plans the requests, sends them, says what follows. It never throws. `report` gets errors that
 * are no fault of the configuration or the receiver; the attempt then counts as failed for good, since a second one
 * could send again what was sent already.
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
    holds: receiver.holds,
    waitedMs: claim.waitedMs,
  };
  const durationMs = () => Math.round(performance.now() - started);
  try {
    const told = await attempt(claim, receiver, settings, report);
    return { ...measured, ...told, durationMs: durationMs() };
  } catch (error) {
    report(error);
    const stateDetails = `Attempt ${claim.attempt} failed. ${INTERNAL}`;
    return { ...measured, ...NOTHING_KNOWN, stateDetails, durationMs: durationMs() };
  }
}

type Told = Omit<
  Result,
  'delivery' | 'attempt' | 'integration' | 'provider' | 'ordered' | 'holds' | 'waitedMs' | 'durationMs'
>;

const INTERNAL = 'An error inside the server prevented the delivery; its log has the details.';

const NOTHING_KNOWN: Omit<Told, 'stateDetails'> = {
  outcome: 'configuration',
  status: null,
  address: null,
  error: INTERNAL,
  answer: null,
  headers: null,
  bodySha256: null,
  state: 'failed',
  details: {},
  delayMs: 0,
};

/** What is stored of an attempt when PostgreSQL rejects the rest: how it ended, and what follows. */
export const minimalResult = (result: Result): Result => ({
  ...result,
  address: null,
  error: null,
  answer: null,
  headers: null,
  bodySha256: null,
  stateDetails: `Attempt ${result.attempt} ended with ${result.outcome}. Its details could not be stored.`,
  details: {},
});

async function attempt(
  claim: Claim,
  receiver: Receiver,
  settings: AttemptSettings,
  report: (error: unknown) => void,
): Promise<Told> {
  const made = await makeRequests(claim, receiver, settings, report);
  const { outcome, error, answer } = judge(made.answers, made.plan.requests, made.problem);
  const next = nextStep(
    outcome,
    claim.failures,
    settings.schedule,
    retryAfterMs(answer?.retryAfter ?? null, new Date()),
    Math.random(),
  );
  const delayMs = next.state === 'retrying' ? next.delayMs : 0;
  return {
    outcome,
    status: answer?.status ?? null,
    address: answer?.address ?? null,
    error: error === undefined ? null : storableText(error),
    answer: answer?.isPublic && answer.text !== '' ? storableText(answer.text) : null,
    headers: answer?.isPublic ? storableHeaders(answer.headers) : null,
    bodySha256: made.bodySha256,
    state: next.state,
    stateDetails: storableText(tell(next.state, error, claim.failures + 1, settings.schedule.length, answer)),
    details: kept(made.plan.details),
    delayMs,
  };
}

type Made = { plan: Plan; answers: Answer[]; bodySha256: string | null; problem?: string };

async function makeRequests(
  claim: Claim,
  receiver: Receiver,
  settings: AttemptSettings,
  report: (error: unknown) => void,
): Promise<Made> {
  const planned = planRequests(claim, receiver, settings, report);
  if ('problem' in planned)
    return { plan: { requests: [], details: {} }, answers: [], bodySha256: null, ...planned };
  const answers = await Promise.all(planned.outgoing.map(request => settings.send(request)));
  const [first] = planned.plan.requests;
  const bodySha256 = first ? createHash('sha256').update(first.body).digest('hex') : null;
  return { plan: planned.plan, answers, bodySha256 };
}

/** Only a `PlanError` is shown: the message of another error may hold a part of what was being read, a secret. */
function planRequests(
  claim: Claim,
  receiver: Receiver,
  settings: AttemptSettings,
  report: (error: unknown) => void,
): { plan: Plan; outgoing: OutgoingRequest[] } | { problem: string } {
  try {
    const provider = providerNamed(receiver.provider);
    if (!provider) throw new PlanError(`Provider "${receiver.provider}" does not exist.`);
    const { parameters, keys } = receiver.open();
    const event = thinned(claim.event, settings.publicUrl);
    const plan = provider.plan({
      event,
      ...describe(event),
      parameters,
      publicUrl: settings.publicUrl,
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
    return { plan, outgoing };
  } catch (error) {
    if (error instanceof PlanError) return { problem: `The request could not be made. ${error.message}` };
    report(error);
    return { problem: INTERNAL };
  }
}

/** A receiver is not sent what it would refuse for its size: what is too large is named, and can be fetched. */
function thinned(event: DeliveredEvent, publicUrl: string): DeliveredEvent {
  if (JSON.stringify(event).length <= MAX_BODY) return event;
  const link = `${publicUrl}/api/admin/events/${event.id}`;
  return { ...event, data: { truncated: true, link }, preData: null };
}

function judge(
  answers: Answer[],
  requests: PlannedRequest[],
  problem: string | undefined,
): { outcome: Outcome; error?: string; answer?: Answer } {
  if (answers.length === 0) {
    return { outcome: 'configuration', error: problem ?? 'There is nobody to send it to.' };
  }
  const problems = answers.flatMap((answer, index) => {
    const request = requests[index];
    const rejection = request?.rejection?.(answer);
    const said = rejection?.message ?? problemOf(answer);
    if (said === undefined) return [];
    const error = request?.about ? `${request.about}: ${said}` : said;
    return [{ answer, error, isPermanent: rejection?.isPermanent ?? false }];
  });
  const [first] = problems;
  if (!first) return { outcome: 'success', ...(answers[0] ? { answer: answers[0] } : {}) };
  const error = problems.map(one => one.error).join(' ');
  if (problems.length < answers.length) return { outcome: 'partial', error, answer: first.answer };
  // As long as one of several may succeed later, all are sent again.
  const last = problems.find(one => !one.isPermanent);
  if (!last) return { outcome: 'configuration', error, answer: first.answer };
  return { outcome: outcomeOf(last.answer), error, answer: last.answer };
}

function problemOf({ status, error }: Answer): string | undefined {
  if (error !== null) return error;
  if (status !== null && status >= 200 && status < 300) return undefined;
  const redirect = status !== null && status >= 300 && status < 400 ? ' Redirects are not followed.' : '';
  return `The receiver answered ${status}.${redirect}`;
}

function outcomeOf({ status, failure }: Answer): Outcome {
  return failure ?? (status === 410 ? 'gone' : 'refused');
}

/** The time of the next attempt is added when the record is read, from the column that decides it. */
function tell(
  state: Result['state'],
  error: string | undefined,
  attempts: number,
  most: number,
  answer: Answer | undefined,
): string {
  if (state === 'success') return `Delivered; the receiver answered ${answer?.status}.`;
  if (state === 'successWithErrors') return `Delivered in part. ${error}`;
  const hint =
    attempts >= CONFIGURATION_AFTER && LOOKS_LIKE_CONFIGURATION.has(answer?.status ?? 0)
      ? ' This looks like a mistake in the configuration.'
      : '';
  if (state === 'failed')
    return `Failed after ${attempts} ${attempts === 1 ? 'attempt' : 'attempts'}. ${error}${hint}`;
  return `Attempt ${attempts} of ${most} failed. ${error}${hint}`;
}

const storableHeaders = (headers: Record<string, string>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [storableText(name), storableText(value)]),
  );

const kept = (details: Record<string, unknown>): object =>
  storableJson(details, MAX_KEPT_BODY) ?? {
    note: `The body has more than ${MAX_KEPT_BODY.toLocaleString('en')} characters and is not stored.`,
  };
