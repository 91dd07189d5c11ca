import { ApiError, exceedsLimit } from '../../../../plane/src/platform/errors.ts';

/** Evaluations of one request: features × environments × contexts. */
const MAX_EVALUATIONS = 25_000;
/** Characters of all documents that one request reads, and of one of them, which is parsed without a pause. */
const MAX_DOCUMENTS_SIZE = 33_554_432;
const MAX_DOCUMENT_SIZE = 4_194_304;
const MAX_RESPONSE_SIZE = 16_777_216;
const MAX_SECONDS = 10;

/** Events since a past time, about features and about segments each. */
export const MAX_UNDONE_EVENTS = 5_000;
export const MAX_ENVIRONMENTS = 50;
/** Contexts that a request lists one by one. */
export const MAX_CONTEXTS = 50;
export const MAX_FEATURES = 100;
export const MAX_DRAFTS = 10;
/** Fields of the context, and properties. */
export const MAX_FIELDS = 100;
/** Characters of a field, which can be a list of values. */
export const MAX_CHARACTERS = 5_000;
/** Characters of one value. Matching a pattern takes time in proportion to it. */
export const MAX_VALUE_CHARACTERS = 500;

const FEWER = 'Choose fewer projects, features, environments or context values.';

export function rejectManyContexts(contexts: number): void {
  if (contexts <= MAX_EVALUATIONS) return;
  throw exceedsLimit(
    `The context has more than ${MAX_EVALUATIONS} combinations of values, the maximum for one request. ${FEWER}`,
  );
}

/** `features` counts a feature once for each environment. */
export function rejectManyEvaluations(features: number, contexts: number): void {
  if (features * contexts <= MAX_EVALUATIONS) return;
  throw exceedsLimit(
    `The request needs ${features * contexts} evaluations: ${features} features in all environments, ${contexts} contexts. One request can have at most ${MAX_EVALUATIONS}. ${FEWER}`,
  );
}

export function rejectLargeDocuments(total: number, largest: number): void {
  if (largest > MAX_DOCUMENT_SIZE) {
    throw tooLarge(
      `A feature of the request has ${largest} bytes of strategies and variants. The playground evaluates features of at most ${MAX_DOCUMENT_SIZE} bytes.`,
    );
  }
  if (total <= MAX_DOCUMENTS_SIZE) return;
  throw tooLarge(
    `The features of the request have ${total} bytes of strategies and variants. One request can read at most ${MAX_DOCUMENTS_SIZE}. ${FEWER}`,
  );
}

export function rejectManyEvents(events: number, about: 'features' | 'segments'): void {
  if (events <= MAX_UNDONE_EVENTS) return;
  throw exceedsLimit(
    `More than ${MAX_UNDONE_EVENTS} events about the ${about} happened since this time. Choose a later time${about === 'features' ? ' or fewer features' : ''}.`,
  );
}

export function rejectLargeResponse(size: number): void {
  if (size <= MAX_RESPONSE_SIZE) return;
  throw tooLarge(`The response would have more than ${MAX_RESPONSE_SIZE} bytes. ${FEWER}`);
}

/** Throws when the evaluation takes too long. */
export function rejectLater(startedAt = performance.now()): () => void {
  return () => {
    if (performance.now() - startedAt <= MAX_SECONDS * 1_000) return;
    throw exceedsLimit(`The evaluation takes longer than ${MAX_SECONDS} seconds. ${FEWER}`);
  };
}

const tooLarge = (why: string): ApiError => new ApiError('PayloadTooLargeError', why);
