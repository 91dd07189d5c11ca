import { badData, type Violation } from '@halyard/plane/platform/errors.ts';
import { hasControlCharacter } from '@halyard/plane/platform/http/input/text.ts';
import { ALL } from '@halyard/plane/platform/http/schema.ts';
import type { TargetPolicy } from '../../platform/outgoing/address.ts';
import { findTargetProblem } from '../../platform/outgoing/target.ts';
import { isDifferentDestination, reentryViolation } from '../../platform/secrets/destination.ts';
import { MASK } from '../../platform/secrets/mask.ts';
import { describeUnknownType } from '../../record/events/unknown-type.ts';
import { findGrammarViolations, normalizeFilter } from './filter.ts';
import { findProvider, PROVIDERS } from './providers/list.ts';
import type { ParameterDefinition, Parameters, Provider } from './providers/provider.ts';
import { findTemplateProblem } from './providers/template.ts';
import { type IntegrationFilter, type IntegrationInput, KNOWN_EVENTS, type PreviewInput } from './schema.ts';

const MAX_PARAMETER_LENGTH = 10_000;
const MAX_HEADERS = 20;
const MAX_HEADER_LENGTH = 4_096;
const HEADER_NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,100}$/;
const PRINTABLE = /^[\x20-\x7e]*$/;
/** Headers that the connection or the signature sets. */
const RESERVED_HEADERS =
  /^(host|content-length|transfer-encoding|connection|keep-alive|upgrade|te|trailer|expect|cookie|proxy-.*|webhook-.*|x-event-id)$/i;

export type ValidIntegration = {
  provider: Provider;
  parameters: Parameters;
  events: string[];
  projects: string[];
  environments: string[];
  filter: IntegrationFilter | null;
};

/** The parameters are undefined if they cannot be decrypted. */
export type StoredParameters = { parameters: Parameters | undefined };

/** Validates an integration against its provider. Stored values replace masked ones. The error lists every violation. */
export function validateIntegration(
  input: IntegrationInput,
  policy: TargetPolicy,
  stored: StoredParameters | undefined,
  filterViolations: Violation[],
): ValidIntegration {
  const details = [...findIntegrationViolations(input, policy, stored), ...filterViolations];
  const provider = findProvider(input.provider);
  if (!provider || details.length > 0) throw badData(details);
  return {
    provider,
    parameters: pickKnown(provider, restoreMasked(provider, toRecord(input.parameters), stored?.parameters)),
    events: [...new Set(input.events)],
    projects: removeWildcard(input.projects ?? []),
    environments: removeWildcard(input.environments ?? []),
    filter: normalizeFilter(input.filter),
  };
}

/** Returns all violations of an integration, or of the fields that are present. */
export function findIntegrationViolations(
  { provider: name = '', parameters: input = {}, events = [], filter }: Partial<IntegrationInput>,
  policy: TargetPolicy,
  stored: StoredParameters | undefined,
): Violation[] {
  const provider = findProvider(name);
  const otherViolations = [...findEventViolations(events), ...findGrammarViolations(filter)];
  if (!provider) return [...findProviderViolations(name), ...otherViolations];
  const sentParameters = toRecord(input);
  const parameters = restoreMasked(provider, sentParameters, stored?.parameters);
  return [
    ...provider.parameters.flatMap(definition => {
      const isMasked = definition.sensitive && sentParameters[definition.name] === MASK;
      const maskViolations = isMasked
        ? [...findMaskViolations(definition.name, provider, parameters, stored)]
        : [];
      return maskViolations.length > 0
        ? maskViolations
        : [...findProviderParameterViolations(definition, parameters, policy)];
    }),
    ...otherViolations,
  ];
}

/** Returns the violations in a preview's filters. */
export const findPreviewViolations = ({ events = [], filter }: Partial<PreviewInput>): Violation[] => [
  ...findEventViolations(events),
  ...findGrammarViolations(filter),
];

/** Returns the filters of a preview in the form that an integration stores. */
export const previewFilters = (input: PreviewInput) => ({
  events: input.events,
  projects: removeWildcard(input.projects ?? []),
  environments: removeWildcard(input.environments ?? []),
  eventsWithoutProject: input.eventsWithoutProject ?? false,
  filter: normalizeFilter(input.filter),
});

/** Returns the paths of parameters that the provider does not have, because the server ignores them. */
export function listUnknownParameters(body: unknown): string[][] {
  const { provider: name, parameters } = (body ?? {}) as Record<string, unknown>;
  const provider = findProvider(String(name));
  if (!provider || typeof parameters !== 'object' || parameters === null) return [];
  const knownNames = new Set(provider.parameters.map(parameter => parameter.name));
  return Object.keys(parameters)
    .filter(parameter => !knownNames.has(parameter))
    .map(parameter => ['parameters', parameter]);
}

// The schema requires no more than an object.
const toRecord = (value: object): Record<string, unknown> => ({ ...value });

function* findProviderViolations(name: string): Generator<Violation> {
  if (findProvider(name)) return;
  const names = PROVIDERS.map(provider => provider.name).join(', ');
  yield {
    message: `provider "${name.slice(0, 100)}" does not exist. Allowed: ${names}.`,
    path: '/body/provider',
  };
}

/** Returns the violations of an update that do not depend on stored parameters. */
export const findUpdateViolations = ({
  provider = '',
  events = [],
  filter,
}: Partial<IntegrationInput>): Violation[] => [
  ...findProviderViolations(provider),
  ...findEventViolations(events),
  ...findGrammarViolations(filter),
];

/** Replaces masked values with stored ones, so that users can save a form without entering its secrets again. */
function restoreMasked(
  provider: Provider,
  sentParameters: Record<string, unknown>,
  stored: Parameters | undefined,
): Record<string, unknown> {
  const maskedParameters = provider.parameters.filter(
    ({ name, sensitive }) => sensitive && sentParameters[name] === MASK,
  );
  return {
    ...sentParameters,
    ...Object.fromEntries(maskedParameters.map(({ name }) => [name, stored?.[name]])),
  };
}

/** A masked value is valid only if the stored value can be decrypted and the URL is unchanged. */
function* findMaskViolations(
  name: string,
  provider: Provider,
  parameters: Record<string, unknown>,
  stored: StoredParameters | undefined,
): Generator<Violation> {
  const path = `/body/parameters/${name}`;
  if (stored && !stored.parameters) {
    return yield {
      message: `parameters.${name} is required, because the stored value cannot be decrypted`,
      path,
    };
  }
  if (stored?.parameters?.[name] === undefined) {
    return yield {
      message: `parameters.${name} is the mask *****, but no value is stored. Send the value.`,
      path,
    };
  }
  const changedUrl = provider.parameters.find(
    ({ name: urlName, type }) =>
      type === 'url' &&
      isDifferentDestination(stored.parameters?.[urlName], parameters[urlName] as string | undefined),
  );
  if (changedUrl) yield reentryViolation(`parameters.${name}`, `parameters.${changedUrl.name}`, path);
}

/** Keeps the parameters that the provider has. Empty strings count as absent, because forms send them for empty fields. */
function pickKnown(provider: Provider, values: Record<string, unknown>): Parameters {
  const entries = provider.parameters.flatMap(({ name }) =>
    typeof values[name] === 'string' && values[name] !== '' ? [[name, values[name]]] : [],
  );
  return Object.fromEntries(entries);
}

const removeWildcard = (names: string[]): string[] => (names.includes(ALL) ? [] : [...new Set(names)]);

function* findEventViolations(events: string[]): Generator<Violation> {
  if (events.length === 0)
    yield { message: 'events must contain at least one event type, or *', path: '/body/events' };
  for (const [index, type] of events.entries()) {
    if (!KNOWN_EVENTS.includes(type)) {
      yield {
        message: describeUnknownType(type, index),
        path: `/body/events/${index}`,
      };
    }
  }
}

function* findProviderParameterViolations(
  definition: ParameterDefinition,
  parameters: Record<string, unknown>,
  policy: TargetPolicy,
): Generator<Violation> {
  const { name, required, type } = definition;
  const value = parameters[name];
  const path = `/body/parameters/${name}`;
  const violation = (problem: string) => ({ message: `parameters.${name} ${problem}`, path });
  if (value === undefined || value === null || value === '') {
    if (required) yield violation('is required');
    return;
  }
  if (typeof value !== 'string') return yield violation('must be a string');
  if (value.length > MAX_PARAMETER_LENGTH)
    return yield violation(`must have at most ${MAX_PARAMETER_LENGTH} characters`);
  if (type === 'url') {
    const problem = findTargetProblem(value, policy);
    if (problem !== undefined) yield violation(problem);
  } else if (type === 'headers') {
    for (const problem of findHeaderProblems(value)) yield violation(problem);
  } else if (type === 'template') {
    const problem = findTemplateProblem(value);
    if (problem !== undefined) yield violation(problem);
  } else if (type === 'text' && !PRINTABLE.test(value)) {
    yield violation('must contain only printable ASCII characters');
  } else if (hasControlCharacter(value)) {
    yield violation('must not contain control characters');
  }
}

function* findHeaderProblems(text: string): Generator<string> {
  let headers: unknown;
  try {
    headers = JSON.parse(text);
  } catch {
    return yield 'must be a JSON object of header names and values';
  }
  if (typeof headers !== 'object' || headers === null || Array.isArray(headers))
    return yield 'must be a JSON object of header names and values';
  const entries = Object.entries(headers);
  if (entries.length > MAX_HEADERS) yield `must contain at most ${MAX_HEADERS} headers`;
  for (const [index, [name, value]] of entries.entries()) {
    // The name of a header may be secret, so the message contains only the position.
    if (!HEADER_NAME.test(name)) yield `contains an invalid header name at position ${index + 1}`;
    else if (RESERVED_HEADERS.test(name)) yield `must not set ${name.toLowerCase()}`;
    if (typeof value !== 'string' || !PRINTABLE.test(value) || value.length > MAX_HEADER_LENGTH)
      yield `contains a value at position ${index + 1} that is not a string of at most ${MAX_HEADER_LENGTH} printable ASCII characters`;
  }
}
