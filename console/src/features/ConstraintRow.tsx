import { ActionIcon, NativeSelect, TextInput } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { X } from 'lucide-react';
import { useState } from 'react';
import { useMissingPermissions } from '../api/me.ts';
import { useCreatedField } from '../context-fields/created-field.ts';
import { escapeText } from '../ui/caller-text.ts';
import { TimeInput } from '../ui/TimeInput.tsx';
import { formatCount } from '../ui/words.ts';
import {
  findDisallowedValues,
  hasOpposite,
  isDateOperator,
  isNumberOperator,
  listOperators,
  OPERATOR_GROUPS,
  sortByUse,
  takesList,
  withField,
  withOperator,
} from './draft.ts';
import s from './features.module.css';
import type { Constraint, ContextField } from './queries.ts';
import { ValuesInput } from './ValuesInput.tsx';
import { formatList, getOperatorLabel } from './words.ts';

/** Labels of list operators in the menu. Sentences omit "any of", because their lists of values already contain "or". */
const LIST_LABELS: Partial<Record<Constraint['operator'], string>> = {
  IN: 'is any of',
  NOT_IN: 'is none of',
};

/** Edits the field, the operator and the values of a constraint. With `as="card"`, it is a row of a card with the values below. */
export function ConstraintRow({
  as = 'line',
  isNew,
  lead,
  constraint,
  savedConstraint,
  fields,
  onChange,
  onRemove,
}: {
  as?: 'line' | 'card';
  isNew: boolean;
  lead: string;
  constraint: Constraint;
  /** The constraint before the user edited it. If it is present, values that the user added are marked. */
  savedConstraint?: Constraint | undefined;
  fields: readonly ContextField[];
  onChange(constraint: Constraint): void;
  onRemove(): void;
}) {
  const { contextName, operator, inverted = false } = constraint;
  // An empty field is not marked as invalid until the user leaves it.
  const [wasLeft, setLeft] = useState(!isNew);
  const field = fields.find(({ name }) => name === contextName);
  const legalValues = field?.legalValues.map(({ value }) => value) ?? [];
  const disallowed = findDisallowedValues(constraint, field);
  const operators = [...new Set([...listOperators(field), operator])];
  const names = [...new Set([...sortByUse(fields).map(({ name }) => name), contextName])];
  const isNegated = inverted && operator !== 'IN' && operator !== 'NOT_IN';
  // Shows an inverted "is" as "is not", because the select has both.
  const shownOperator = inverted
    ? ({ IN: 'NOT_IN', NOT_IN: 'IN' }[operator as string] ?? operator)
    : operator;
  // An option is an operator, or its negation if no other operator has that meaning.
  const listOptions = (option: Constraint['operator']) => [
    { value: option, label: LIST_LABELS[option] ?? getOperatorLabel(option) },
    ...(hasOpposite(option) ? [] : [{ value: `!${option}`, label: getOperatorLabel(option, true) }]),
    ...(hasOpposite(option) && isNegated && option === operator
      ? [{ value: `!${option}`, label: `not ${getOperatorLabel(option)}` }]
      : []),
  ];
  const groups = OPERATOR_GROUPS.flatMap(([group, members]) => {
    const items = members.filter(member => operators.includes(member)).flatMap(listOptions);
    return items.length > 0 ? [{ group, items }] : [];
  });
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: blur bubbles up from the field inside
    <div
      className={s.target}
      data-as={as}
      onBlur={({ target }) => target instanceof HTMLInputElement && setLeft(true)}
    >
      <span className={s.lead}>{lead}</span>
      <NativeSelect
        aria-label="Context field"
        autoFocus={isNew}
        value={contextName}
        data={names}
        onChange={event => {
          const name = event.target.value;
          onChange(
            withField(
              constraint,
              fields.find(candidate => candidate.name === name) ?? { name, legalValues: [] },
            ),
          );
        }}
      />
      <NativeSelect
        aria-label={`Operator for ${contextName}`}
        value={isNegated ? `!${operator}` : shownOperator}
        data={groups}
        onChange={event => {
          const [, not, name] = /^(!?)(.*)$/.exec(event.target.value) ?? [];
          const newOperator = operators.find(candidate => candidate === name) ?? operator;
          onChange(withOperator({ ...constraint, inverted: not === '!' }, newOperator));
        }}
      />
      {takesList(operator) ? (
        <ValuesInput
          label={`Values of ${contextName}`}
          values={constraint.values ?? []}
          suggestions={field?.legalValues}
          suggestionsLabel={`Choices for ${contextName}`}
          disallowedValues={disallowed}
          mayBeEmpty={!wasLeft}
          {...(savedConstraint && { savedValues: savedConstraint.values ?? [] })}
          onChange={values => onChange({ ...constraint, values })}
        />
      ) : isDateOperator(operator) ? (
        <TimeInput
          className={s.single}
          aria-label={`Value of ${contextName}`}
          error={wasLeft && !constraint.value}
          value={constraint.value ?? ''}
          onChange={value => onChange({ ...constraint, value })}
        />
      ) : (
        <TextInput
          className={s.single}
          aria-label={`Value of ${contextName}`}
          error={wasLeft && !constraint.value}
          inputMode={isNumberOperator(operator) ? 'decimal' : undefined}
          value={constraint.value ?? ''}
          onChange={event => onChange({ ...constraint, value: event.target.value })}
        />
      )}
      <ActionIcon aria-label={`Remove the constraint on ${contextName}`} onClick={onRemove}>
        <X size={15} />
      </ActionIcon>
      {isNew && (
        <NewField
          fields={fields}
          chosenName={contextName}
          onCreated={created => onChange(withField(constraint, created))}
        />
      )}
      {disallowed.length > 0 && (
        <p className={s.problem} role="alert">
          {formatList(disallowed, 'and')} {disallowed.length === 1 ? 'is' : 'are'} not allowed for{' '}
          {escapeText(contextName)}. Allowed: {formatList(legalValues, 'and')}.{' '}
          <button
            type="button"
            className={s.more}
            onClick={event => {
              event.currentTarget.closest('div')?.querySelector('input')?.focus();
              onChange({
                ...constraint,
                values: constraint.values?.filter(value => !disallowed.includes(value)) ?? [],
              });
            }}
          >
            Remove {formatCount(disallowed.length, 'value')}
          </button>{' '}
          or change the{' '}
          <Link
            to="/admin/context-fields/$contextField"
            params={{ contextField: contextName }}
            className={s.legal}
          >
            legal values
          </Link>
          .
        </p>
      )}
    </div>
  );
}

/**
 * Links to the form for a new context field, in a new tab so that the strategy or segment being edited stays open. The constraint
 * then uses the new field.
 */
function NewField({
  fields,
  chosenName,
  onCreated,
}: {
  fields: readonly ContextField[];
  chosenName: string;
  onCreated(field: ContextField): void;
}) {
  const waitForField = useCreatedField(fields, chosenName, onCreated);
  if (useMissingPermissions('createContextField').length > 0) return null;
  return (
    <p className={s.hint}>
      Not in the list?{' '}
      <Link to="/admin/context-fields/new" target="_blank" className={s.legal} onClick={waitForField}>
        Create a context field
      </Link>
    </p>
  );
}
