import { createHash } from 'node:crypto';
import { describe } from '../events/describe.ts';
import { providerNamed } from '../integrations/providers/list.ts';
import type { DeliveredEvent, Plan, PlannedRequest } from '../integrations/providers/provider.ts';
import type { Receiver } from '../integrations/receiver.ts';
import { signatureHeaders } from '../integrations/signing.ts';
import type { Answer, Send } from '../outgoing/send.ts';
import { nextStep, type Outcome, retryAfterMs } from './schedule.ts';

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

/** One attempt to deliver: plans the requests, sends them, says what follows. Never throws. */
export async function attemptDelivery(
  claim: Claim,
  receiver: Receiver,
  settings: AttemptSettings,
): Promise<Result> {
  const started = performance.now();
  const made = await makeRequests(claim, receiver, settings).catch((error: Error) => failedToPlan(error));
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
    delivery: claim.id,
    attempt: claim.attempt,
    integration: claim.integrationId,
    provider: receiver.provider,
    ordered: receiver.ordered,
    outcome,
    waitedMs: claim.waitedMs,
    durationMs: Math.round(performance.now() - started),
    status: answer?.status ?? null,
    address: answer?.address ?? null,
    error: error === undefined ? null : storable(error),
    answer: answer?.isPublic && answer.text !== '' ? storable(answer.text) : null,
    headers: answer?.isPublic ? storableHeaders(answer.headers) : null,
    bodySha256: made.bodySha256,
    state: next.state,
    stateDetails: storable(
      tell(next.state, error, claim.failures + 1, settings.schedule.length, delayMs, answer),
    ),
    details: kept(made.plan.details),
    delayMs,
    holds: receiver.holds,
  };
}

type Made = { plan: Plan; answers: Answer[]; bodySha256: string | null; problem?: string };

async function makeRequests(claim: Claim, receiver: Receiver, settings: AttemptSettings): Promise<Made> {
  const provider = providerNamed(receiver.provider);
  if (!provider) throw new Error(`There is no provider ${receiver.provider} any more.`);
  const { parameters, keys } = receiver.open();
  const event = thinned(claim.event, settings.publicUrl);
  const plan = provider.plan({
    event,
    ...describe(event),
    parameters,
    publicUrl: settings.publicUrl,
    isTest: claim.isTest,
  });
  const answers = await Promise.all(
    plan.requests.map(request =>
      settings.send({
        url: request.url,
        body: request.body,
        headers: {
          'user-agent': 'Halyard',
          ...request.headers,
          ...signatureHeaders(claim.webhookId, new Date(), request.body, provider.signed ? keys : []),
          'x-event-id': String(event.id),
        },
      }),
    ),
  );
  const [first] = plan.requests;
  const bodySha256 = first ? createHash('sha256').update(first.body).digest('hex') : null;
  return { plan, answers, bodySha256 };
}

const failedToPlan = (error: Error): Made => ({
  plan: { requests: [], details: {} },
  answers: [],
  bodySha256: null,
  problem: `The request could not be made: ${error.message}`,
});

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
    const said = problemOf(answer) ?? request?.refusal?.(answer);
    return said === undefined ? [] : [{ answer, error: request?.about ? `${request.about}: ${said}` : said }];
  });
  const [first] = problems;
  if (!first) return { outcome: 'success', ...(answers[0] ? { answer: answers[0] } : {}) };
  const error = problems.map(one => one.error).join(' ');
  if (problems.length < answers.length) return { outcome: 'partial', error, answer: first.answer };
  return { outcome: outcomeOf(first.answer), error, answer: first.answer };
}

function problemOf({ status, error }: Answer): string | undefined {
  if (error !== null) return error;
  return status !== null && status >= 200 && status < 300 ? undefined : `The receiver answered ${status}.`;
}

function outcomeOf({ status, failure }: Answer): Outcome {
  return failure ?? (status === 410 ? 'gone' : 'refused');
}

function tell(
  state: Result['state'],
  error: string | undefined,
  attempts: number,
  most: number,
  delayMs: number,
  answer: Answer | undefined,
): string {
  if (state === 'success') return `Delivered; the receiver answered ${answer?.status}.`;
  if (state === 'successWithErrors') return `Delivered in part. ${error}`;
  const hint =
    attempts >= CONFIGURATION_AFTER && LOOKS_LIKE_CONFIGURATION.has(answer?.status ?? 0)
      ? ' This looks like a mistake in the configuration.'
      : '';
  if (state === 'failed') return `Given up after ${attempts} failed attempt(s). ${error}${hint}`;
  const next = new Date(Date.now() + delayMs).toISOString();
  return `Attempt ${attempts} of ${most} failed. ${error}${hint} Next attempt at ${next}.`;
}

/** PostgreSQL stores no NUL and no half of a surrogate pair. */
const storable = (text: string): string => text.replaceAll('\0', '').toWellFormed();

const storableHeaders = (headers: Record<string, string>): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [storable(name), storable(value)]));

function kept(details: Record<string, unknown>): object {
  const text = JSON.stringify(details);
  if (text.length > MAX_KEPT_BODY) return { note: `The body has ${text.length} characters and is not kept.` };
  return JSON.parse(text.replaceAll(/(?<!\\)((?:\\\\)*)\\u0000/g, '$1').toWellFormed());
}
