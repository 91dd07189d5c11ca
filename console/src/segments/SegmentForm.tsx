import { Button, NativeSelect, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Plus } from 'lucide-react';
import { useRef, useState } from 'react';
import { findNameError, isNameTaken, messagesByField, messagesWithoutField } from '../api/errors.ts';
import { ConstraintRow } from '../features/ConstraintRow.tsx';
import { newConstraint } from '../features/draft.ts';
import type { Constraint, ContextField } from '../features/queries.ts';
import { projectsQuery } from '../shell/queries.ts';
import { FormErrors } from '../ui/Failure.tsx';
import { toProjectOptions } from '../ui/project-options.ts';
import type { Draft } from './draft.ts';
import s from './segments.module.css';

const SHOWN_FIELDS = ['name', 'description', 'project'];

/** The fields of a segment. `base` is the saved state, or undefined for a new segment. */
export function SegmentForm({
  draft,
  base,
  fields,
  error,
  disabled,
  onChange,
}: {
  draft: Draft;
  base?: Draft;
  fields: readonly ContextField[];
  error: unknown;
  disabled: boolean;
  onChange(part: Partial<Draft>): void;
}) {
  const messages = messagesByField(error);
  const projects = useQuery(projectsQuery).data ?? [];
  const isKnown = draft.project === '' || projects.some(({ id }) => id === draft.project);
  return (
    <fieldset className={s.fields} disabled={disabled}>
      <FormErrors messages={isNameTaken(error) ? [] : messagesWithoutField(error, SHOWN_FIELDS)} />
      <div className={s.pair}>
        <TextInput
          label="Name"
          classNames={{ input: 'mono' }}
          required
          maxLength={100}
          autoComplete="off"
          spellCheck={false}
          autoFocus={base === undefined}
          value={draft.name}
          error={findNameError(error)}
          onChange={event => onChange({ name: event.target.value })}
        />
        <NativeSelect
          label="Project"
          value={draft.project}
          error={messages.project}
          data={[
            { value: '', label: 'All projects' },
            ...toProjectOptions(projects),
            ...(isKnown ? [] : [{ value: draft.project, label: draft.project }]),
          ]}
          onChange={event => onChange({ project: event.target.value })}
        />
      </div>
      <TextInput
        label="Description"
        maxLength={500}
        autoComplete="off"
        value={draft.description}
        error={messages.description}
        onChange={event => onChange({ description: event.target.value })}
      />
      <Constraints draft={draft} base={base} fields={fields} onChange={onChange} />
    </fieldset>
  );
}

function Constraints({
  draft: { constraints },
  base,
  fields,
  onChange,
}: {
  draft: Draft;
  base: Draft | undefined;
  fields: readonly ContextField[];
  onChange(part: Partial<Draft>): void;
}) {
  const [addedIndex, setAddedIndex] = useState<number>();
  const addButton = useRef<HTMLButtonElement>(null);
  const findSavedConstraint = (constraint: Constraint, index: number): Constraint | undefined =>
    base && (findSaved(base.constraints[index], constraint) ?? { ...constraint, values: [] });
  return (
    <section aria-label="Constraints">
      <header className={s.heading}>
        <h2>Constraints</h2>
        <span>
          {constraints.length === 0
            ? 'Without a constraint, every user is in the segment.'
            : 'A user is in the segment if all constraints match.'}
        </span>
      </header>
      <div className={s.card}>
        {constraints.map((constraint, index) => (
          <ConstraintRow
            // biome-ignore lint/suspicious/noArrayIndexKey: constraints have no identity
            key={index}
            as="card"
            isNew={index === addedIndex}
            lead={index > 0 ? 'and' : 'if'}
            constraint={constraint}
            savedConstraint={findSavedConstraint(constraint, index)}
            fields={fields}
            onChange={next => onChange({ constraints: constraints.with(index, next) })}
            onRemove={() => {
              setAddedIndex(undefined);
              onChange({ constraints: constraints.filter((_, n) => n !== index) });
              addButton.current?.focus();
            }}
          />
        ))}
        <Button
          ref={addButton}
          variant="subtle"
          leftSection={<Plus size={14} />}
          disabled={constraints.length >= MAX_CONSTRAINTS}
          onClick={() => {
            setAddedIndex(constraints.length);
            onChange({ constraints: [...constraints, newConstraint(fields)] });
          }}
        >
          Add a constraint
        </Button>
      </div>
    </section>
  );
}

const MAX_CONSTRAINTS = 30;

const findSaved = (saved: Constraint | undefined, { contextName }: Constraint): Constraint | undefined =>
  saved?.contextName === contextName ? saved : undefined;
