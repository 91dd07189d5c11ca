import { ActionIcon, Button, NativeSelect, TextInput, type TextInputProps } from '@mantine/core';
import { X } from 'lucide-react';
import { FIELDS, instantOf, localTimeOf, type PlaygroundForm, type Property } from './form.ts';
import s from './playground.module.css';

const MOST_PROPERTIES = 50;

/** The choices of an evaluation: project, environment, flag and context. */
export function Form({
  form,
  projects,
  environments,
  errors,
  onChange,
}: {
  form: PlaygroundForm;
  projects: readonly { id: string; name: string }[];
  environments: readonly { name: string }[];
  /** The messages of a rejected request, by field. */
  errors: Record<string, string>;
  onChange(change: Partial<PlaygroundForm>): void;
}) {
  const setProperty = (at: number, change: Partial<Property>) =>
    onChange({
      properties: form.properties.map((one, index) => (index === at ? { ...one, ...change } : one)),
    });
  return (
    <>
      <NativeSelect
        size="xs"
        label="Project"
        value={form.project}
        data={[
          { value: '', label: 'All projects' },
          ...projects.map(one => ({ value: one.id, label: one.name })),
        ]}
        onChange={event => onChange({ project: event.target.value, feature: '' })}
      />
      <NativeSelect
        size="xs"
        label="Environment"
        value={form.environment}
        data={environments.map(({ name }) => name)}
        onChange={event => onChange({ environment: event.target.value })}
      />
      <fieldset className={s.context}>
        <legend>Context</legend>
        {FIELDS.map(({ name, label }) => (
          <Text
            key={name}
            label={label}
            maxLength={500}
            error={errors[`context.${name}`]}
            {...(name === 'currentTime'
              ? { type: 'datetime-local', description: 'In your time zone. Empty: now.' }
              : {})}
            value={name === 'currentTime' ? localTimeOf(form.fields[name]) : (form.fields[name] ?? '')}
            onChange={({ target: { value } }) =>
              onChange({
                fields: { ...form.fields, [name]: name === 'currentTime' ? instantOf(value) : value },
              })
            }
          />
        ))}
        {form.properties.map(({ name, value }, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a property has no other identity while its name is typed
          <div key={at} className={s.property}>
            <Text
              aria-label={`Name of property ${at + 1}`}
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
        <Button
          size="xs"
          disabled={form.properties.length >= MOST_PROPERTIES}
          onClick={() => onChange({ properties: [...form.properties, { name: '', value: '' }] })}
        >
          Add a property
        </Button>
      </fieldset>
    </>
  );
}

/** A value of the context, without the help that browsers offer for prose. */
const Text = (props: TextInputProps) => (
  <TextInput classNames={{ input: 'mono' }} autoComplete="off" spellCheck={false} {...props} />
);
