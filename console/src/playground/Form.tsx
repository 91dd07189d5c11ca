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
import { TimeInput } from '../ui/TimeInput.tsx';
import { MAX_CONTEXTS } from './csv.ts';
import { FIELDS, type PlaygroundForm, type Property, rowsOfForm } from './form.ts';
import s from './playground.module.css';

const MAX_PROPERTIES = 50;

/** The choices of an evaluation: project, flag, environments, and one context or a table of contexts. */
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
        data={[
          { value: '', label: 'All projects' },
          ...projects.map(one => ({ value: one.id, label: one.name })),
        ]}
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
                // In the order of the environments, however they were chosen.
                environments: environments
                  .map(one => one.name)
                  .filter(one => (one === name ? checked : form.environments.includes(one))),
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
          onChange={value => onChange({ csv: value === 'one' ? undefined : tableOf(form) })}
        />
        {csv === undefined ? (
          <Fields form={form} errors={errors} onChange={onChange} />
        ) : (
          <Textarea
            label="Table"
            description={`The first line names the context fields, and each further line is a context. At most ${MAX_CONTEXTS}.`}
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

/** The table, starting with the context in the fields, to add others to it. */
function tableOf(form: PlaygroundForm): string {
  const entries = rowsOfForm({ ...form, csv: undefined }).rows.flatMap(row => Object.entries(row));
  const used = entries.length > 0 ? entries : [['userId', '']];
  return [used.map(([name]) => name), used.map(([, value]) => quoted(value ?? ''))].join('\n');
}

const quoted = (value: string): string => (/[",\n]/.test(value) ? `"${value.replaceAll('"', '""')}"` : value);

function Fields({
  form,
  errors,
  onChange,
}: {
  form: PlaygroundForm;
  errors: Record<string, string>;
  onChange(change: Partial<PlaygroundForm>): void;
}) {
  const setProperty = (at: number, change: Partial<Property>) =>
    onChange({
      properties: form.properties.map((one, index) => (index === at ? { ...one, ...change } : one)),
    });
  const own: readonly string[] = FIELDS.map(({ name }) => name);
  const used = form.properties.map(({ name }) => name);
  const names = (useQuery(contextQuery).data ?? [])
    .map(({ name }) => name)
    .filter(name => name !== 'environment' && !own.includes(name) && !used.includes(name));
  return (
    <>
      {FIELDS.map(({ name, label }) =>
        name === 'currentTime' ? (
          <TimeInput
            key={name}
            label={label}
            note="Empty: now."
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
      {form.properties.map(({ name, value }, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a property has no other identity while its name is typed
        <div key={at} className={s.property}>
          <Text
            aria-label={`Name of property ${at + 1}`}
            list="property-names"
            placeholder="Name"
            maxLength={100}
            value={name}
            onChange={event => setProperty(at, { name: event.target.value })}
          />
          <Text
            aria-label={`Value of property ${at + 1}`}
            placeholder="Value"
            maxLength={500}
            value={value}
            onChange={event => setProperty(at, { value: event.target.value })}
          />
          <ActionIcon
            aria-label={`Remove property ${at + 1}`}
            onClick={() => onChange({ properties: form.properties.filter((_, index) => index !== at) })}
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

/** A context value, without the help that browsers offer for prose. */
const Text = (props: TextInputProps) => (
  <TextInput classNames={{ input: 'mono' }} autoComplete="off" spellCheck={false} {...props} />
);
