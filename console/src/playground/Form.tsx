import '@mantine/core/styles/Checkbox.layer.css';
import '@mantine/core/styles/FloatingIndicator.layer.css';
import '@mantine/core/styles/SegmentedControl.layer.css';
import {
  ActionIcon,
  Button,
  Checkbox,
  NativeSelect,
  SegmentedControl,
  Textarea,
  TextInput,
  type TextInputProps,
} from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { X } from 'lucide-react';
import { contextQuery } from '../features/queries.ts';
import { toProjectOptions } from '../ui/project-options.ts';
import { TimeInput } from '../ui/TimeInput.tsx';
import { MAX_CONTEXTS } from './csv.ts';
import { FIELDS, listRows, type PlaygroundForm, type Property } from './form.ts';
import s from './playground.module.css';

const MAX_PROPERTIES = 50;

/** The evaluation form, with a project, a flag, environments, and one context or a table of contexts. */
export function Form({
  form,
  projects,
  environments,
  errors,
  problem,
  onChange,
}: {
  form: PlaygroundForm;
  projects: readonly { id: string; name: string }[];
  environments: readonly { name: string }[];
  /** The messages of a rejected request, by field. */
  errors: Record<string, string>;
  /** What is wrong with the table. */
  problem: string | undefined;
  onChange(change: Partial<PlaygroundForm>): void;
}) {
  const { csv } = form;
  return (
    <>
      <NativeSelect
        label="Project"
        value={form.project}
        data={[{ value: '', label: 'All projects' }, ...toProjectOptions(projects)]}
        onChange={event => onChange({ project: event.target.value })}
      />
      <Text
        label="Flag"
        description="The exact name. Leave it empty for all flags."
        maxLength={100}
        value={form.feature}
        error={errors['features.0']}
        onChange={event => onChange({ feature: event.target.value })}
      />
      <fieldset className={s.context}>
        <legend>Environments</legend>
        {environments.map(({ name }) => (
          <Checkbox
            key={name}
            label={name}
            checked={form.environments.includes(name)}
            onChange={({ target: { checked } }) =>
              onChange({
                // The list keeps the order of the environments, regardless of the order in which they were chosen.
                environments: environments
                  .map(environment => environment.name)
                  .filter(candidate =>
                    candidate === name ? checked : form.environments.includes(candidate),
                  ),
              })
            }
          />
        ))}
        {form.environments.length === 0 && <p className={s.problem}>Choose an environment.</p>}
      </fieldset>
      <fieldset className={s.context}>
        <legend>Context</legend>
        <SegmentedControl
          aria-label="Contexts"
          value={csv === undefined ? 'one' : 'table'}
          data={[
            { value: 'one', label: 'One' },
            { value: 'table', label: 'Several, as CSV' },
          ]}
          onChange={value => onChange({ csv: value === 'one' ? undefined : buildTable(form) })}
        />
        {csv === undefined ? (
          <Fields form={form} errors={errors} onChange={onChange} />
        ) : (
          <Textarea
            label="Table"
            description={`The first line names the context fields. Each line after it is a context, up to ${MAX_CONTEXTS}.`}
            classNames={{ input: 'mono' }}
            rows={8}
            autoComplete="off"
            spellCheck={false}
            value={csv}
            error={problem}
            onChange={event => onChange({ csv: event.target.value })}
          />
        )}
      </fieldset>
    </>
  );
}

/** Builds a table with the context from the fields as its only row, so that the user can add more. */
function buildTable(form: PlaygroundForm): string {
  const entries = listRows({ ...form, csv: undefined }).rows.flatMap(row => Object.entries(row));
  const usedEntries = entries.length > 0 ? entries : [['userId', '']];
  return [usedEntries.map(([name]) => name), usedEntries.map(([, value]) => quoteValue(value ?? ''))].join(
    '\n',
  );
}

const quoteValue = (value: string): string =>
  /[",\n]/.test(value) ? `"${value.replaceAll('"', '""')}"` : value;

function Fields({
  form,
  errors,
  onChange,
}: {
  form: PlaygroundForm;
  errors: Record<string, string>;
  onChange(change: Partial<PlaygroundForm>): void;
}) {
  const setProperty = (position: number, change: Partial<Property>) =>
    onChange({
      properties: form.properties.map((property, index) =>
        index === position ? { ...property, ...change } : property,
      ),
    });
  const standardNames: readonly string[] = FIELDS.map(({ name }) => name);
  const usedNames = form.properties.map(({ name }) => name);
  const names = (useQuery(contextQuery).data ?? [])
    .map(({ name }) => name)
    .filter(name => name !== 'environment' && !standardNames.includes(name) && !usedNames.includes(name));
  return (
    <>
      {FIELDS.map(({ name, label }) =>
        name === 'currentTime' ? (
          <TimeInput
            key={name}
            label={label}
            note="Leave it empty for the current time."
            error={errors[`contexts.0.${name}`]}
            value={form.fields[name] ?? ''}
            onChange={value => onChange({ fields: { ...form.fields, [name]: value } })}
          />
        ) : (
          <Text
            key={name}
            label={label}
            maxLength={500}
            error={errors[`contexts.0.${name}`]}
            value={form.fields[name] ?? ''}
            onChange={({ target: { value } }) => onChange({ fields: { ...form.fields, [name]: value } })}
          />
        ),
      )}
      {form.properties.map(({ name, value }, position) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a property has no other identity while the user types its name
        <div key={position} className={s.property}>
          <Text
            aria-label={`Name of property ${position + 1}`}
            list="property-names"
            placeholder="Name"
            maxLength={100}
            value={name}
            onChange={event => setProperty(position, { name: event.target.value })}
          />
          <Text
            aria-label={`Value of property ${position + 1}`}
            placeholder="Value"
            maxLength={500}
            value={value}
            onChange={event => setProperty(position, { value: event.target.value })}
          />
          <ActionIcon
            aria-label={`Remove property ${position + 1}`}
            onClick={() => onChange({ properties: form.properties.filter((_, index) => index !== position) })}
          >
            <X size={14} />
          </ActionIcon>
        </div>
      ))}
      <datalist id="property-names">
        {names.map(name => (
          <option key={name} value={name} />
        ))}
      </datalist>
      <Button
        size="xs"
        disabled={form.properties.length >= MAX_PROPERTIES}
        onClick={() => onChange({ properties: [...form.properties, { name: '', value: '' }] })}
      >
        Add a property
      </Button>
    </>
  );
}

/** A text field for names and values, without the help that browsers offer for prose. */
const Text = (props: TextInputProps) => (
  <TextInput classNames={{ input: 'mono' }} autoComplete="off" spellCheck={false} {...props} />
);
