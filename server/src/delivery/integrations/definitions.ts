import { PROVIDERS } from './providers/list.ts';
import { KNOWN_EVENTS, type ProviderDefinition } from './schema.ts';

const DOCUMENTATION = '/docs/#tag/Integrations';

const FILTERS =
  'Without projects every event is delivered. With projects named, events that belong to no project are left out unless eventsWithoutProject is true. Events that have no environment pass every environment filter.';

/** Inputs that a form knows; what is special about headers and templates is checked by the server. */
const INPUT = {
  text: 'text',
  textfield: 'textfield',
  url: 'url',
  headers: 'textfield',
  template: 'textfield',
} as const;

/** The providers as a form needs them. */
export const definitions = (): ProviderDefinition[] =>
  PROVIDERS.map(({ name, displayName, description, parameters, tagTypes, signed }) => ({
    name,
    displayName,
    description,
    documentationUrl: DOCUMENTATION,
    parameters: parameters.map(parameter => ({
      ...parameter,
      type: INPUT[parameter.type],
      placeholder: parameter.placeholder ?? '',
    })),
    events: [...KNOWN_EVENTS],
    tagTypes,
    filters: FILTERS,
    signed,
  }));
