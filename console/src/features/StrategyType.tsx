import '@mantine/core/styles/Checkbox.layer.css';
import { Checkbox, Input, NativeSelect, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type StrategyType, strategyTypesQuery } from '../strategy-types/queries.ts';
import { type Draft, getInitialParameters, splitValues } from './draft.ts';
import s from './features.module.css';
import { ValuesInput } from './ValuesInput.tsx';

const getLabel = ({ name, displayName }: StrategyType): string => displayName ?? name;

/** Edits the type of a new strategy. The type cannot be changed later, because a different type would include different users. */
export function TypeField({
  draft,
  initialDraft,
  onChange,
}: {
  draft: Draft;
  initialDraft: Draft | undefined;
  onChange(change: Partial<Draft>): void;
}) {
  const { data: types = [] } = useQuery(strategyTypesQuery);
  const type = types.find(({ name }) => name === draft.name);
  const choices = types.filter(({ name, deprecated }) => !deprecated || name === draft.name);
  const description = type?.description;
  if (!initialDraft)
    return (
      <>
        <b>{type ? getLabel(type) : draft.name}</b>{' '}
        {description && <span className="muted">{description}</span>}
      </>
    );
  return (
    <NativeSelect
      aria-label="Type"
      description={description}
      inputWrapperOrder={['input', 'description']}
      value={draft.name}
      data={
        choices.length > 0
          ? choices.map(choice => ({ value: choice.name, label: getLabel(choice) }))
          : [{ value: draft.name, label: draft.name }]
      }
      onChange={event => {
        const name = event.target.value;
        onChange({
          name,
          parameters:
            name === initialDraft.name ? initialDraft.parameters : getInitialParameters(name, types),
        });
      }}
    />
  );
}

/** Edits the parameters of a type other than gradual rollout. Parameters that the type does not define are strings. */
export function Parameters({ draft, onChange }: { draft: Draft; onChange(change: Partial<Draft>): void }) {
  const { data: types = [] } = useQuery(strategyTypesQuery);
  const definitions = types.find(({ name }) => name === draft.name)?.parameters ?? [];
  const otherNames = Object.keys(draft.parameters).filter(
    name => !definitions.some(definition => definition.name === name),
  );
  if (definitions.length + otherNames.length === 0)
    return <span className="muted">This type has no parameters.</span>;
  const createSetter = (name: string) => (value: string) =>
    onChange({ parameters: { ...draft.parameters, [name]: value } });
  return (
    <div className={s.parameters}>
      {definitions.map(parameter => (
        <ParameterField
          key={parameter.name}
          parameter={parameter}
          value={draft.parameters[parameter.name] ?? ''}
          onChange={createSetter(parameter.name)}
        />
      ))}
      {otherNames.map(name => (
        <TextInput
          key={name}
          label={name}
          value={draft.parameters[name] ?? ''}
          onChange={event => createSetter(name)(event.target.value)}
        />
      ))}
    </div>
  );
}

function ParameterField({
  parameter: { name, type, description, required },
  value,
  onChange,
}: {
  parameter: StrategyType['parameters'][number];
  value: string;
  onChange(value: string): void;
}) {
  if (type === 'boolean')
    return (
      <Checkbox
        label={name}
        description={description}
        checked={value === 'true'}
        onChange={event => onChange(String(event.target.checked))}
      />
    );
  if (type === 'list')
    return (
      <Input.Wrapper label={name} labelElement="div" description={description} required={required}>
        {/* The values are joined by commas, because SDKs split the string there. */}
        <ValuesInput
          label={`Values of ${name}`}
          values={splitValues(value)}
          mayBeEmpty={!required}
          onChange={values => onChange(values.join(','))}
        />
      </Input.Wrapper>
    );
  return (
    <TextInput
      label={name}
      description={description}
      required={required}
      inputMode={type === 'string' ? 'text' : 'decimal'}
      rightSection={type === 'percentage' && '%'}
      value={value}
      onChange={event => onChange(event.target.value)}
    />
  );
}
