import { ApiError, exceedsLimit } from '@halyard/plane/platform/errors.ts';

/** The maximum number of evaluations per request: features × environments × contexts. */
const MAX_EVALUATIONS = 25_000;
/** Maximum sizes in bytes: of all documents that one request reads, and of a single document, which is parsed without a pause. */
const MAX_DOCUMENTS_SIZE = 33_554_432;
const MAX_DOCUMENT_SIZE = 4_194_304;
const MAX_RESPONSE_SIZE = 16_777_216;
const MAX_SECONDS = 10;

/** The maximum number of events to undo, counted separately for features and segments. */
export const MAX_EVENTS_TO_UNDO = 5_000;
export const MAX_ENVIRONMENTS = 50;
/** The maximum number of contexts that a request lists individually. */
export const MAX_CONTEXTS = 50;
export const MAX_FEATURES = 100;
export const MAX_DRAFTS = 10;
/** The maximum number of context fields, and of entries in `properties`. */
export const MAX_FIELDS = 100;
/** The maximum length of a field, which can be a list of values. */
export const MAX_CHARACTERS = 5_000;
/** The maximum length of one value, because longer values take longer to match against a pattern. */
export const MAX_VALUE_CHARACTERS = 500;

const CHOOSE_FEWER = 'Choose fewer projects, features, environments or context values.';

export function rejectTooManyContexts(contexts: number): void {
  if (contexts <= MAX_EVALUATIONS) return;
  throw exceedsLimit(
    `The context has more than ${MAX_EVALUATIONS} combinations of values, the maximum for one request. ${CHOOSE_FEWER}`,
  );
}

/** Rejects a request that needs too many evaluations. `features` counts a feature once for each environment. */
export function rejectTooManyEvaluations(features: number, contexts: number): void {
  if (features * contexts <= MAX_EVALUATIONS) return;
  throw exceedsLimit(
    `The request needs ${features * contexts} evaluations: ${features} features in all environments, ${contexts} contexts. One request can have at most ${MAX_EVALUATIONS}. ${CHOOSE_FEWER}`,
  );
}

export function rejectOversizedDocuments(total: number, largest: number): void {
  if (largest > MAX_DOCUMENT_SIZE) {
    throw tooLarge(
      `A feature of the request has ${largest} bytes of strategies and variants. The playground evaluates features of at most ${MAX_DOCUMENT_SIZE} bytes.`,
    );
  }
  if (total <= MAX_DOCUMENTS_SIZE) return;
  throw tooLarge(
    `The requested features have ${total} bytes of strategies and variants. One request can read at most ${MAX_DOCUMENTS_SIZE}. ${CHOOSE_FEWER}`,
  );
}

export function rejectTooManyEvents(events: number, subject: 'features' | 'segments'): void {
  if (events <= MAX_EVENTS_TO_UNDO) return;
  throw exceedsLimit(
    `More than ${MAX_EVENTS_TO_UNDO} events about the ${subject} have happened since this time. Choose a later time${subject === 'features' ? ' or fewer features' : ''}.`,
  );
}

export function rejectOversizedResponse(size: number): void {
  if (size <= MAX_RESPONSE_SIZE) return;
  throw tooLarge(`The response would have more than ${MAX_RESPONSE_SIZE} bytes. ${CHOOSE_FEWER}`);
}

/** Returns a check that throws when the evaluation has taken too long. */
export function makeTimeLimit(startedAt = performance.now()): () => void {
  return () => {
    if (performance.now() - startedAt <= MAX_SECONDS * 1_000) return;
    throw exceedsLimit(`The evaluation takes longer than ${MAX_SECONDS} seconds. ${CHOOSE_FEWER}`);
  };
}

const tooLarge = (message: string): ApiError => new ApiError('PayloadTooLargeError', message);
