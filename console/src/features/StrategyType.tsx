import '@mantine/core/styles/Checkbox.layer.css';
import { Checkbox, Input, NativeSelect, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type StrategyType, strategyTypesQuery } from '../strategy-types/queries.ts';
import { type Draft, parametersOf, splitValues } from './draft.ts';
import s from './features.module.css';
import { ValuesInput } from './ValuesInput.tsx';

const labelOf = ({ name, displayName }: StrategyType): string => displayName ?? name;

/** The type of a strategy. It can be chosen while the strategy is new: afterwards, a different type would include different users. */
export function TypeField({
  draft,
  start,
  onChange,
}: {
  draft: Draft;
  start: Draft | undefined;
  onChange(change: Partial<Draft>): void;
}) {
  const { data: types = [] } = useQuery(strategyTypesQuery);
  const type = types.find(({ name }) => name === draft.name);
  const choices = types.filter(({ name, deprecated }) => !deprecated || name === draft.name);
  const description = type?.description;
  if (!start)
    return (
      <>
        <b>{type ? labelOf(type) : draft.name}</b>{' '}
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
          ? choices.map(one => ({ value: one.name, label: labelOf(one) }))
          : [{ value: draft.name, label: draft.name }]
      }
      onChange={event => {
        const name = event.target.value;
        onChange({
          name,
          parameters: name === start.name ? start.parameters : parametersOf(name, types),
        });
      }}
    />
  );
}

/** The parameters of a type other than gradual rollout. Those that the type does not define are strings. */
export function Parameters({ draft, onChange }: { draft: Draft; onChange(change: Partial<Draft>): void }) {
  const { data: types = [] } = useQuery(strategyTypesQuery);
  const defined = types.find(({ name }) => name === draft.name)?.parameters ?? [];
  const others = Object.keys(draft.parameters).filter(name => !defined.some(one => one.name === name));
  if (defined.length + others.length === 0)
    return <span className="muted">This type has no parameters.</span>;
  const set = (name: string) => (value: string) =>
    onChange({ parameters: { ...draft.parameters, [name]: value } });
  return (
    <div className={s.parameters}>
      {defined.map(parameter => (
        <ParameterField
          key={parameter.name}
          parameter={parameter}
          value={draft.parameters[parameter.name] ?? ''}
          onChange={set(parameter.name)}
        />
      ))}
      {others.map(name => (
        <TextInput
          key={name}
          label={name}
          value={draft.parameters[name] ?? ''}
          onChange={event => set(name)(event.target.value)}
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
        {/* SDKs split the text at commas. */}
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
