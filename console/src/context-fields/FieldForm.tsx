import '@mantine/core/styles/Checkbox.layer.css';
import { Checkbox, NativeSelect, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { isNameTaken, messagesByField, messagesWithoutField } from '../api/errors.ts';
import { projectsQuery } from '../shell/queries.ts';
import { FormErrors } from '../ui/Failure.tsx';
import { NewName } from '../ui/NewName.tsx';
import { toProjectOptions } from '../ui/project-options.ts';
import s from './context-fields.module.css';
import type { Draft } from './draft.ts';
import { LegalValues } from './LegalValues.tsx';

const SHOWN_FIELDS = ['name', 'description', 'stickiness'];

/** Edits a context field. The name and the project can be chosen only for a new field. */
export function FieldForm({
  draft,
  isNew,
  error,
  disabled,
  onChange,
}: {
  draft: Draft;
  isNew: boolean;
  error: unknown;
  disabled: boolean;
  onChange(part: Partial<Draft>): void;
}) {
  const projects = useQuery(projectsQuery).data ?? [];
  const messages = messagesByField(error);
  return (
    <fieldset className={s.fields} disabled={disabled}>
      <FormErrors messages={isNameTaken(error) ? [] : messagesWithoutField(error, SHOWN_FIELDS)} />
      {isNew && (
        <NewName
          description="The name in the context that applications send. It cannot be changed later."
          maxLength={100}
          value={draft.name}
          error={error}
          autoFocus
          onChange={name => onChange({ name })}
        />
      )}
      {isNew && (
        <NativeSelect
          label="Project"
          description="The project whose flags and segments can use the field. It cannot be changed later."
          value={draft.project}
          data={[{ value: '', label: 'All projects' }, ...toProjectOptions(projects)]}
          onChange={event => onChange({ project: event.target.value })}
        />
      )}
      <TextInput
        label="Description"
        maxLength={250}
        autoComplete="off"
        value={draft.description}
        error={messages.description}
        onChange={event => onChange({ description: event.target.value })}
      />
      <Checkbox
        label="Use for stickiness"
        description="Gradual rollouts and variants can keep the same result for users with the same value."
        checked={draft.stickiness}
        onChange={event => onChange({ stickiness: event.target.checked })}
      />
      <LegalValues
        values={draft.legalValues}
        error={messages.legalValues}
        onChange={legalValues => onChange({ legalValues })}
      />
    </fieldset>
  );
}
