import { TextInput } from '@mantine/core';
import { isNameTaken, messagesByField, messagesWithoutField } from '../api/errors.ts';
import { NewName } from '../ui/NewName.tsx';
import { PanelForm } from '../ui/PanelForm.tsx';
import { findNameProblems } from '../ui/problems.ts';
import { toast } from '../ui/toasts.ts';
import { useCreation } from '../ui/useCreation.ts';
import { useFilters } from '../ui/useFilters.ts';
import { createTagType, type TagType } from './queries.ts';

/** Empty strings mean null. */
export type Draft = { description: string; color: string };
export const SHOWN_FIELDS = ['name', 'description', 'color'];

export const toDraft = ({ description, color }: TagType): Draft => ({
  description: description ?? '',
  color: color ?? '',
});
export const toBody = ({ description, color }: Draft) => ({
  description: description.trim() || null,
  color: color || null,
});

/** The panel that creates a tag type. */
export function NewTagTypePanel({ onClose }: { onClose(): void }) {
  const { leave } = useFilters();
  const { draft, edit, submit, error, isPending, unsaved } = useCreation({
    draftKey: 'new-tag-type',
    empty: { name: '', description: '', color: '' },
    send: sent => createTagType({ name: sent.name, ...toBody(sent) }),
    onSent: ({ name }) => {
      leave({ edit: `type:${name}` });
      toast({ message: `Created ${name}.` });
    },
  });
  return (
    <PanelForm
      title="New tag type"
      action="Create tag type"
      pending={isPending}
      problems={findNameProblems(draft.name)}
      messages={isNameTaken(error) ? [] : messagesWithoutField(error, SHOWN_FIELDS)}
      {...unsaved}
      onSubmit={submit}
      onClose={onClose}
    >
      <NewName
        description="The part of a tag before the colon. It cannot be changed later."
        maxLength={50}
        value={draft.name}
        error={error}
        onChange={name => edit({ name })}
      />
      <TagTypeFields draft={draft} error={error} onChange={edit} />
    </PanelForm>
  );
}

export function TagTypeFields({
  draft,
  error,
  onChange,
}: {
  draft: Draft;
  error: unknown;
  onChange(part: Partial<Draft>): void;
}) {
  const messages = messagesByField(error);
  return (
    <>
      <TextInput
        label="Description"
        maxLength={1000}
        autoComplete="off"
        value={draft.description}
        error={messages.description}
        onChange={event => onChange({ description: event.target.value })}
      />
      <TextInput
        label="Color"
        description="For example #1A2B3C. Optional."
        placeholder="#1A2B3C"
        maxLength={7}
        autoComplete="off"
        spellCheck={false}
        value={draft.color}
        error={messages.color}
        onChange={event => onChange({ color: event.target.value.trim() })}
      />
    </>
  );
}
