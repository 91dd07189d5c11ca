import { PROVIDERS } from './providers/list.ts';
import { KNOWN_EVENTS, type ProviderDefinition } from './schema.ts';

const DOCUMENTATION = '/docs/#tag/Integrations';

const FILTERS =
  'Without a project filter, every event is delivered. With a project filter, events without a project are delivered only if eventsWithoutProject is true. Events without an environment pass every environment filter.';

/** The form input for each type of parameter. Forms treat headers and templates as text. The server validates them. */
const INPUT_TYPES = {
  text: 'text',
  textfield: 'textfield',
  url: 'url',
  headers: 'textfield',
  template: 'textfield',
} as const;

/** Describes the providers for forms. */
export const listDefinitions = (): ProviderDefinition[] =>
  PROVIDERS.map(({ name, displayName, description, howTo, parameters, tagTypes, signed }) => ({
    name,
    displayName,
    description,
    howTo,
    documentationUrl: DOCUMENTATION,
    parameters: parameters.map(parameter => ({
      ...parameter,
      type: INPUT_TYPES[parameter.type],
      placeholder: parameter.placeholder ?? '',
    })),
    events: [...KNOWN_EVENTS],
    tagTypes,
    filters: FILTERS,
    signed,
  }));
