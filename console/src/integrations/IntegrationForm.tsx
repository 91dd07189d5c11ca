import '@mantine/core/styles/Checkbox.layer.css';
import { Checkbox, NativeSelect, Textarea, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { messagesByField, messagesWithoutField } from '../api/errors.ts';
import { environmentsQuery, projectsQuery } from '../shell/queries.ts';
import { MultiSelect } from '../ui/Choices.tsx';
import { FormErrors } from '../ui/Failure.tsx';
import { FilterBar } from '../ui/FilterBar.tsx';
import { type FilterField, IS } from '../ui/filters.ts';
import { toProjectOptions } from '../ui/project-options.ts';
import { Sentence } from '../ui/Sentence.tsx';
import { Time } from '../ui/Time.tsx';
import { type Draft, toEventFilter } from './draft.ts';
import s from './integrations.module.css';
import { eventTypesQuery, matchingEventsQuery, type Provider } from './queries.ts';

const SHOWN_FIELDS = ['description', 'events', 'projects', 'environments', 'ordered', 'whenExhausted'];
/** Filters that work as they do in the event search. */
const FILTERS: FilterField[] = [
  { name: 'feature', key: 'flag', label: 'Flag', operators: IS, mono: true },
  { name: 'createdBy', key: 'by', label: 'By', operators: IS },
];

type FormProps = {
  provider: Provider;
  draft: Draft;
  error: unknown;
  onChange(next: Draft): void;
};

/** The fields of an integration: its provider's parameters, its events, and its delivery options. */
export function IntegrationForm({ provider, draft, error, onChange }: FormProps) {
  const fields = [...SHOWN_FIELDS, ...provider.parameters.map(({ name }) => `parameters.${name}`)];
  return (
    <div className={s.form}>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must be reachable by keyboard */}
      <section className={s.fields} tabIndex={0} aria-label="Settings">
        <FormErrors messages={messagesWithoutField(error, fields)} />
        <Target provider={provider} draft={draft} error={error} onChange={onChange} />
        <Events draft={draft} error={error} onChange={onChange} />
        <DeliveryOptions draft={draft} onChange={onChange} />
      </section>
      <MatchingEvents draft={draft} />
    </div>
  );
}

function Target({ provider, draft, error, onChange }: FormProps) {
  const messages = messagesByField(error);
  return (
    <fieldset>
      <legend>{provider.displayName}</legend>
      <TextInput
        label="Description"
        description="Shown as the integration's name in lists."
        placeholder="Change log to the data warehouse"
        maxLength={1000}
        value={draft.description}
        error={messages.description}
        onChange={event => onChange({ ...draft, description: event.target.value })}
      />
      {provider.parameters.map(parameter => {
        const Field = parameter.type === 'textfield' ? Textarea : TextInput;
        return (
          <Field
            key={parameter.name}
            label={parameter.displayName}
            description={parameter.description}
            placeholder={parameter.placeholder}
            required={parameter.required}
            autoComplete="off"
            spellCheck={false}
            maxLength={10_000}
            classNames={{ input: 'mono' }}
            value={draft.parameters[parameter.name] ?? ''}
            error={messages[`parameters.${parameter.name}`]}
            onChange={event =>
              onChange({
                ...draft,
                parameters: { ...draft.parameters, [parameter.name]: event.target.value },
              })
            }
          />
        );
      })}
    </fieldset>
  );
}

function Events({ draft, error, onChange }: Omit<FormProps, 'provider'>) {
  const messages = messagesByField(error);
  const types = useQuery(eventTypesQuery).data?.eventTypes ?? [];
  const projects = useQuery(projectsQuery).data ?? [];
  const environments = useQuery(environmentsQuery).data?.environments ?? [];
  return (
    <fieldset>
      <legend>Events</legend>
      <Choice
        label="Event types"
        allLabel="Every type"
        value={draft.events}
        options={types.filter(({ emitted }) => emitted).map(({ type, label }) => ({ value: type, label }))}
        error={messages.events}
        onChange={events => onChange({ ...draft, events })}
      />
      <Choice
        label="Projects"
        allLabel="Every project"
        value={draft.projects}
        options={toProjectOptions(projects)}
        error={messages.projects}
        onChange={projectIds => onChange({ ...draft, projects: projectIds })}
      />
      {draft.projects.length > 0 && (
        <Checkbox
          label="Include events without a project, such as new users"
          checked={draft.eventsWithoutProject}
          onChange={event => onChange({ ...draft, eventsWithoutProject: event.target.checked })}
        />
      )}
      <Choice
        label="Environments"
        allLabel="Every environment"
        value={draft.environments}
        options={environments.map(({ name }) => ({ value: name, label: name }))}
        error={messages.environments}
        onChange={names => onChange({ ...draft, environments: names })}
      />
      <div>
        <p className={s.label}>Filter</p>
        <FilterBar
          fields={FILTERS}
          search={draft.filter}
          hint="flag:checkout-v2, by:dora, or text to find"
          api="/api/admin/search/events"
          onChange={search =>
            onChange({
              ...draft,
              filter: Object.fromEntries(
                Object.entries(search).flatMap(([name, value]) =>
                  typeof value === 'string' && value !== '' ? [[name, value]] : [],
                ),
              ),
            })
          }
        />
      </div>
    </fieldset>
  );
}

/** A field for several values. An empty field means all. */
function Choice({
  label,
  allLabel,
  value,
  options,
  error,
  onChange,
}: {
  label: string;
  allLabel: string;
  value: string[];
  options: { value: string; label: string }[];
  error: string | undefined;
  onChange(value: string[]): void;
}) {
  // A chosen value that no longer exists stays visible, so that it can be removed.
  const unknownValues = value.filter(chosenValue => !options.some(option => option.value === chosenValue));
  return (
    <MultiSelect
      label={label}
      placeholder={value.length === 0 ? allLabel : undefined}
      value={value}
      data={[
        ...options,
        ...unknownValues.map(unknownValue => ({ value: unknownValue, label: unknownValue })),
      ]}
      error={error}
      searchable
      hidePickedOptions
      maxValues={100}
      limit={200}
      onChange={onChange}
    />
  );
}

function DeliveryOptions({ draft, onChange }: Pick<FormProps, 'draft' | 'onChange'>) {
  return (
    <fieldset>
      <legend>Delivery</legend>
      <Checkbox
        label="Enabled"
        checked={draft.enabled}
        onChange={event => onChange({ ...draft, enabled: event.target.checked })}
      />
      <Checkbox
        label="Deliver in order"
        description="One event at a time. A failing delivery blocks later ones until its last attempt."
        checked={draft.ordered}
        onChange={event => onChange({ ...draft, ordered: event.target.checked })}
      />
      {draft.ordered && (
        <NativeSelect
          label="After the last attempt fails"
          value={draft.whenExhausted}
          data={[
            { value: 'skip', label: 'Continue with the next event' },
            { value: 'block', label: 'Stay blocked until somebody redelivers or skips it' },
          ]}
          onChange={event =>
            onChange({ ...draft, whenExhausted: event.target.value === 'block' ? 'block' : 'skip' })
          }
        />
      )}
    </fieldset>
  );
}

const TYPING_PAUSE_MS = 300;

/** Lists the newest events that the integration would have received. */
function MatchingEvents({ draft }: { draft: Draft }) {
  const key = JSON.stringify(toEventFilter(draft));
  const [queriedKey, setQueriedKey] = useState(key);
  useEffect(() => {
    const timer = setTimeout(setQueriedKey, TYPING_PAUSE_MS, key);
    return () => clearTimeout(timer);
  }, [key]);
  const { data, error } = useQuery(
    matchingEventsQuery(JSON.parse(queriedKey) as ReturnType<typeof toEventFilter>),
  );
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must be reachable by keyboard
    <aside className={s.matching} aria-label="Matching events" tabIndex={0}>
      <h2>Events that would have matched</h2>
      {error && <p className="muted">{error.message}</p>}
      {data?.events.length === 0 && <p className="muted">No recent events match.</p>}
      <ol>
        {data?.events.map(event => (
          <li key={event.id}>
            <Sentence event={event} />
            <Time at={event.createdAt} />
          </li>
        ))}
      </ol>
    </aside>
  );
}
