import type { Integration, IntegrationInput, Provider } from './queries.ts';

/** The form of an integration. Empty lists mean all. */
export type Draft = {
  description: string;
  enabled: boolean;
  parameters: Record<string, string>;
  events: string[];
  projects: string[];
  environments: string[];
  eventsWithoutProject: boolean;
  filter: Record<string, string>;
  ordered: boolean;
  whenExhausted: 'skip' | 'block';
};

const ALL = '*';

/** Replaces typed secrets with the masks of the saved secrets, so that the tab can store the draft. */
export const withoutSecrets =
  (provider: Provider, saved: Draft) =>
  (draft: Draft): Draft => {
    const secrets = provider.parameters
      .filter(({ sensitive }) => sensitive)
      .map(({ name }) => [name, saved.parameters[name] ?? '']);
    return { ...draft, parameters: { ...draft.parameters, ...Object.fromEntries(secrets) } };
  };

export const createEmptyDraft = (provider: Provider): Draft => ({
  description: '',
  enabled: true,
  parameters: Object.fromEntries(provider.parameters.map(({ name }) => [name, ''])),
  events: [],
  projects: [],
  environments: [],
  eventsWithoutProject: false,
  filter: {},
  ordered: false,
  whenExhausted: 'skip',
});

/** Names the parameters that the provider requires and that are empty. */
export const findMissingParameters = (
  provider: Pick<Provider, 'parameters'>,
  draft: Pick<Draft, 'parameters'>,
): string[] =>
  provider.parameters
    .filter(({ name, required }) => required && (draft.parameters[name] ?? '').trim() === '')
    .map(({ displayName }) => `Enter the parameter “${displayName}”.`);

export const toDraft = (integration: Integration, provider: Provider): Draft => ({
  ...createEmptyDraft(provider),
  description: integration.description ?? '',
  enabled: integration.enabled,
  parameters: { ...createEmptyDraft(provider).parameters, ...integration.parameters },
  events: integration.events.includes(ALL) ? [] : integration.events,
  projects: integration.projects.filter(id => id !== ALL),
  environments: integration.environments.filter(name => name !== ALL),
  eventsWithoutProject: integration.eventsWithoutProject,
  filter: pickStrings(integration.filter ?? {}),
  ordered: integration.ordered,
  whenExhausted: integration.whenExhausted,
});

/** Builds the request body. Empty parameters are omitted, so that their defaults apply. */
export const toInput = (draft: Draft, provider: string): IntegrationInput => ({
  ...draft,
  provider,
  description: draft.description.trim() || null,
  parameters: Object.fromEntries(Object.entries(draft.parameters).filter(([, value]) => value !== '')),
  events: getEvents(draft),
  filter: Object.keys(draft.filter).length > 0 ? draft.filter : null,
});

/** Returns the fields that decide which events an integration receives. */
export const toEventFilter = (draft: Draft) => ({
  events: getEvents(draft),
  projects: draft.projects,
  environments: draft.environments,
  eventsWithoutProject: draft.eventsWithoutProject,
  filter: Object.keys(draft.filter).length > 0 ? draft.filter : null,
});

const getEvents = ({ events }: Draft): string[] => (events.length > 0 ? events : [ALL]);

const pickStrings = (filter: object): Record<string, string> =>
  Object.fromEntries(
    Object.entries(filter).flatMap(([name, value]) => (typeof value === 'string' ? [[name, value]] : [])),
  );
