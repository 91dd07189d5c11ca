import { Textarea, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { messagesByField, messagesWithoutField } from '../api/errors.ts';
import { PanelForm } from '../ui/PanelForm.tsx';
import { toast } from '../ui/toasts.ts';
import { useDraft } from '../ui/useDraft.ts';
import { useFilters } from '../ui/useFilters.ts';
import { useUnsaved } from '../ui/useUnsaved.tsx';
import { type ApplicationDetails, updateApplication } from './queries.ts';

const SHOWN_FIELDS = ['description', 'url'];

/** Edits an application's description and URL. SDKs do not see them. */
export function EditApplication({
  application: { appName, description = '', url = '' },
  onClose,
}: {
  application: ApplicationDetails;
  onClose(): void;
}) {
  const { leave } = useFilters();
  const { draft, change, isChanged, forget } = useDraft(`application:${appName}`, { description, url });
  const save = useMutation({
    mutationFn: () =>
      updateApplication(appName, {
        description: draft.description.trim() || null,
        url: draft.url.trim() || null,
      }),
    onSuccess: () => {
      forget();
      leave({ edit: undefined });
      toast({ message: `Saved ${appName}.` });
    },
  });
  const unsaved = useUnsaved(isChanged && !save.isSuccess, forget);
  const messages = messagesByField(save.error);
  return (
    <PanelForm
      title={`Edit ${appName}`}
      action="Save"
      pending={save.isPending}
      problems={isChanged ? [] : ['No changes.']}
      messages={messagesWithoutField(save.error, SHOWN_FIELDS)}
      {...unsaved}
      onSubmit={() => save.mutate()}
      onClose={onClose}
    >
      <Textarea
        label="Description"
        rows={3}
        maxLength={2000}
        data-autofocus
        value={draft.description}
        error={messages.description}
        onChange={event => change({ description: event.target.value })}
      />
      <TextInput
        label="URL"
        description="Where people find the application, such as its repository."
        placeholder="https://"
        maxLength={2000}
        autoComplete="off"
        value={draft.url}
        error={messages.url}
        onChange={event => change({ url: event.target.value })}
      />
    </PanelForm>
  );
}
