import { TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { isNameTaken, messagesByField, nameMessage, otherMessages } from '../api/errors.ts';
import { PanelForm } from '../ui/PanelForm.tsx';
import { toast } from '../ui/toasts.ts';
import { useDraft } from '../ui/useDraft.ts';
import { useFilters } from '../ui/useFilters.ts';
import { useUnsaved } from '../ui/useUnsaved.tsx';
import { createTagType, type TagType } from './queries.ts';

/** Empty strings mean null. */
export type Draft = { description: string; color: string };
export const FIELDS = ['name', 'description', 'color'];

export const draftOf = ({ description, color }: TagType): Draft => ({
  description: description ?? '',
  color: color ?? '',
});
export const bodyOf = ({ description, color }: Draft) => ({
  description: description.trim() || null,
  color: color || null,
});

/** The panel that creates a tag type. */
export function NewTagTypePanel({ onClose }: { onClose(): void }) {
  const { leave } = useFilters();
  const { draft, change, isChanged, forget } = useDraft('new-tag-type', {
    name: '',
    description: '',
    color: '',
  });
  const create = useMutation({
    mutationFn: () => createTagType({ name: draft.name, ...bodyOf(draft) }),
    onSuccess: ({ name }) => {
      forget();
      leave({ edit: `type:${name}` });
      toast({ message: `Created ${name}.` });
    },
  });
  const unsaved = useUnsaved(isChanged && !create.isSuccess, forget);
  return (
    <PanelForm
      title="New tag type"
      action="Create tag type"
      pending={create.isPending}
      disabled={draft.name === ''}
      messages={isNameTaken(create.error) ? [] : otherMessages(create.error, FIELDS)}
      {...unsaved}
      onSubmit={() => create.mutate()}
      onClose={onClose}
    >
      <TextInput
        label="Name"
        description="The part of a tag before the colon. It never changes."
        classNames={{ input: 'mono' }}
        required
        maxLength={50}
        autoComplete="off"
        spellCheck={false}
        data-autofocus
        value={draft.name}
        error={nameMessage(create.error)}
        onChange={event => {
          change({ name: event.target.value.trim() });
          create.reset();
        }}
      />
      <TagTypeFields draft={draft} error={create.error} onChange={change} />
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
        description="As #1A2B3C, or empty."
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
