import { ActionIcon, Button, Menu, NativeSelect, TextInput } from '@mantine/core';
import { Plus, Shapes, X } from 'lucide-react';
import { useRef, useState } from 'react';
import { counted } from '../ui/words.ts';
import {
  type Draft,
  hasOpposite,
  isDate,
  isNumber,
  notAllowed,
  OPERATOR_GROUPS,
  operatorsFor,
  takesList,
  withField,
  withOperator,
} from './draft.ts';
import s from './features.module.css';
import type { Constraint, ContextField, Segment } from './queries.ts';
import { ValuesInput } from './ValuesInput.tsx';
import { constraintWords, listOf, operatorWords, textOf } from './words.ts';

/** The audience: segments and constraints. All of them must match. */
export function Targeting({
  draft,
  segments,
  fields,
  onChange,
}: {
  draft: Draft;
  segments: readonly Segment[];
  fields: readonly ContextField[];
  onChange(change: Partial<Draft>): void;
}) {
  /** The constraint that the user added last. Its field gets the focus. */
  const [added, setAdded] = useState<number>();
  /** Gets the focus when what had it was removed. */
  const adding = useRef<HTMLButtonElement>(null);
  const remove = (change: Partial<Draft>) => {
    onChange(change);
    adding.current?.focus();
  };
  const chosen = draft.segments.flatMap(id => segments.find(one => one.id === id) ?? []);
  const setConstraint = (index: number, constraint: Constraint) =>
    onChange({ constraints: draft.constraints.map((one, n) => (n === index ? constraint : one)) });
  return (
    <>
      {chosen.map(segment => (
        <div key={segment.id} className={s.target}>
          <span className={s.lead}>in segment</span>
          <span className={s.segment}>
            <Shapes size={13} aria-hidden="true" />
            {segment.name}
            <button
              type="button"
              aria-label={`Remove segment ${segment.name}`}
              onClick={() => remove({ segments: draft.segments.filter(id => id !== segment.id) })}
            >
              <X size={12} />
            </button>
          </span>
          <span className="muted">
            {segment.constraints.map(one => textOf(constraintWords(one))).join(' and ') || 'everyone'}
          </span>
        </div>
      ))}
      {draft.constraints.map((constraint, index) => (
        <ConstraintRow
          // biome-ignore lint/suspicious/noArrayIndexKey: constraints have no identity
          key={index}
          isNew={index === added}
          lead={index > 0 || chosen.length > 0 ? 'and' : 'if'}
          constraint={constraint}
          fields={fields}
          onChange={next => setConstraint(index, next)}
          onRemove={() => {
            setAdded(undefined);
            remove({ constraints: draft.constraints.filter((_, n) => n !== index) });
          }}
        />
      ))}
      <Menu position="bottom-start" returnFocus={false}>
        <Menu.Target>
          <Button ref={adding} variant="subtle" leftSection={<Plus size={14} />}>
            Add a constraint or segment
          </Button>
        </Menu.Target>
        <Menu.Dropdown className={s.scrollMenu}>
          <Menu.Item
            onClick={() => {
              const field = fields[0];
              const operator = operatorsFor(field)[0] ?? 'IN';
              const constraint = withOperator({ contextName: field?.name ?? 'userId', operator }, operator);
              setAdded(draft.constraints.length);
              onChange({ constraints: [...draft.constraints, constraint] });
            }}
          >
            Constraint on a context field
          </Menu.Item>
          {segments
            .filter(({ id }) => !draft.segments.includes(id))
            .map(({ id, name }) => (
              <Menu.Item key={id} onClick={() => onChange({ segments: [...draft.segments, id] })}>
                Segment {name}
              </Menu.Item>
            ))}
        </Menu.Dropdown>
      </Menu>
    </>
  );
}

function ConstraintRow({
  isNew,
  lead,
  constraint,
  fields,
  onChange,
  onRemove,
}: {
  isNew: boolean;
  lead: string;
  constraint: Constraint;
  fields: readonly ContextField[];
  onChange(constraint: Constraint): void;
  onRemove(): void;
}) {
  const { contextName, operator, inverted = false } = constraint;
  const field = fields.find(one => one.name === contextName);
  const legal = field?.legalValues.map(({ value }) => value) ?? [];
  const wrong = notAllowed(constraint, field);
  const operators = [...new Set([...operatorsFor(field), operator])];
  const names = [...new Set([...fields.map(one => one.name), contextName])];
  const isNegated = inverted && operator !== 'IN' && operator !== 'NOT_IN';
  // An inverted "is" means the same as "is not".
  const plain = inverted ? ({ IN: 'NOT_IN', NOT_IN: 'IN' }[operator as string] ?? operator) : operator;
  // An option is an operator, or its negation if no other operator says the same.
  const optionsOf = (one: Constraint['operator']) => [
    { value: one, label: operatorWords(one) },
    ...(hasOpposite(one) ? [] : [{ value: `!${one}`, label: operatorWords(one, true) }]),
    ...(hasOpposite(one) && isNegated && one === operator
      ? [{ value: `!${one}`, label: `not ${operatorWords(one)}` }]
      : []),
  ];
  const groups = OPERATOR_GROUPS.flatMap(([group, members]) => {
    const items = members.filter(one => operators.includes(one)).flatMap(optionsOf);
    return items.length > 0 ? [{ group, items }] : [];
  });
  return (
    <div className={s.target}>
      <span className={s.lead}>{lead}</span>
      <NativeSelect
        aria-label="Context field"
        autoFocus={isNew}
        value={contextName}
        data={names}
        onChange={event => {
          const name = event.target.value;
          onChange(withField(constraint, fields.find(one => one.name === name) ?? { name, legalValues: [] }));
        }}
      />
      <NativeSelect
        aria-label={`Operator for ${contextName}`}
        value={isNegated ? `!${operator}` : plain}
        data={groups}
        onChange={event => {
          const [, not, name] = /^(!?)(.*)$/.exec(event.target.value) ?? [];
          const next = operators.find(one => one === name) ?? operator;
          onChange(withOperator({ ...constraint, inverted: not === '!' }, next));
        }}
      />
      {takesList(operator) ? (
        <ValuesInput
          label={`Values of ${contextName}`}
          values={constraint.values ?? []}
          suggestions={field?.legalValues}
          wrong={wrong}
          onChange={values => onChange({ ...constraint, values })}
        />
      ) : (
        <TextInput
          className={s.single}
          aria-label={`Value of ${contextName}`}
          error={!constraint.value}
          type={isDate(operator) ? 'datetime-local' : 'text'}
          inputMode={isNumber(operator) ? 'decimal' : undefined}
          value={isDate(operator) ? (constraint.value ?? '').slice(0, 16) : (constraint.value ?? '')}
          onChange={event =>
            onChange({
              ...constraint,
              value:
                isDate(operator) && event.target.value ? `${event.target.value}:00.000Z` : event.target.value,
            })
          }
        />
      )}
      <ActionIcon aria-label={`Remove the constraint on ${contextName}`} onClick={onRemove}>
        <X size={15} />
      </ActionIcon>
      {wrong.length > 0 && (
        <p className={s.problem} role="alert">
          {listOf(wrong, 'and')} {wrong.length === 1 ? 'is' : 'are'} not allowed for {contextName}. Allowed:{' '}
          {listOf(legal, 'and')}.{' '}
          <button
            type="button"
            className={s.more}
            onClick={event => {
              event.currentTarget.closest('div')?.querySelector('input')?.focus();
              onChange({
                ...constraint,
                values: constraint.values?.filter(one => !wrong.includes(one)) ?? [],
              });
            }}
          >
            Remove {counted(wrong.length, 'value')}
          </button>
        </p>
      )}
    </div>
  );
}
