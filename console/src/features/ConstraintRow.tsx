import { ActionIcon, NativeSelect, TextInput } from '@mantine/core';
import { X } from 'lucide-react';
import { TimeInput } from '../ui/TimeInput.tsx';
import { counted } from '../ui/words.ts';
import {
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
import type { Constraint, ContextField } from './queries.ts';
import { ValuesInput } from './ValuesInput.tsx';
import { listOf, operatorWords } from './words.ts';

/** Labels of operators in the select. In a sentence, the list of values already says "or". */
const CHOICES: Partial<Record<Constraint['operator'], string>> = { IN: 'is any of', NOT_IN: 'is none of' };

/** A constraint: field, operator and values. `as="card"`: a row of a card, with the values below. */
export function ConstraintRow({
  as = 'line',
  isNew,
  lead,
  constraint,
  saved,
  fields,
  onChange,
  onRemove,
}: {
  as?: 'line' | 'card';
  isNew: boolean;
  lead: string;
  constraint: Constraint;
  /** The constraint before the user edited it. With it, values that the user added are marked. */
  saved?: Constraint | undefined;
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
  // An inverted "is" is shown as "is not".
  const plain = inverted ? ({ IN: 'NOT_IN', NOT_IN: 'IN' }[operator as string] ?? operator) : operator;
  // An option is an operator, or its negation if no other operator says the same.
  const optionsOf = (one: Constraint['operator']) => [
    { value: one, label: CHOICES[one] ?? operatorWords(one) },
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
    <div className={s.target} data-as={as}>
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
          {...(saved && { saved: saved.values ?? [] })}
          onChange={values => onChange({ ...constraint, values })}
        />
      ) : isDate(operator) ? (
        <TimeInput
          className={s.single}
          aria-label={`Value of ${contextName}`}
          error={!constraint.value}
          value={constraint.value ?? ''}
          onChange={value => onChange({ ...constraint, value })}
        />
      ) : (
        <TextInput
          className={s.single}
          aria-label={`Value of ${contextName}`}
          error={!constraint.value}
          inputMode={isNumber(operator) ? 'decimal' : undefined}
          value={constraint.value ?? ''}
          onChange={event => onChange({ ...constraint, value: event.target.value })}
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
