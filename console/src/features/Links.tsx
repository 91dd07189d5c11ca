import { ActionIcon, Button, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { ExternalLink, Pencil, Plus } from 'lucide-react';
import { messagesByField, messagesWithoutField } from '../api/errors.ts';
import { Can } from '../ui/Can.tsx';
import { FormErrors } from '../ui/Failure.tsx';
import { Form } from '../ui/Form.tsx';
import { SidePanel } from '../ui/SidePanel.tsx';
import { toast, toastError } from '../ui/toasts.ts';
import { useDraft } from '../ui/useDraft.ts';
import { useFilters } from '../ui/useFilters.ts';
import { addLink, deleteLink, type Feature, type FeatureLink, updateLink } from './queries.ts';
import { Section } from './Section.tsx';

const SHOWN_FIELDS = ['url', 'title'];

/** The rail section with a flag's links. `?edit=link` adds a link, `?edit=link:<id>` edits a link. */
export function Links({ feature }: { feature: Feature }) {
  const { search, push, replace } = useFilters();
  const editMatch = typeof search.edit === 'string' ? /^link(?::(.+))?$/.exec(search.edit) : null;
  const link = feature.links.find(({ id }) => id === editMatch?.[1]);
  const isOpen = editMatch !== null && (editMatch[1] === undefined || link !== undefined);
  return (
    <Section
      title="Links"
      action={
        !feature.archived && (
          <Can call="addFeatureLink" project={feature.project}>
            <ActionIcon size={22} aria-label="Add a link" onClick={() => push({ edit: 'link' })}>
              <Plus size={14} />
            </ActionIcon>
          </Can>
        )
      }
    >
      {feature.links.length === 0 && <p className="muted">No links.</p>}
      <ul>
        {feature.links.map(({ id, url, title }) => (
          <li key={id}>
            <ExternalLink size={13} aria-hidden="true" />
            <a href={url} target="_blank" rel="noreferrer">
              {title ?? url}
            </a>
            {!feature.archived && (
              <Can call="updateFeatureLink" project={feature.project}>
                <ActionIcon
                  size={22}
                  aria-label={`Edit link ${title ?? url}`}
                  onClick={() => push({ edit: `link:${id}` })}
                >
                  <Pencil size={12} />
                </ActionIcon>
              </Can>
            )}
          </li>
        ))}
      </ul>
      {isOpen && <LinkPanel feature={feature} link={link} onClose={() => replace({ edit: undefined })} />}
    </Section>
  );
}

function LinkPanel({
  feature,
  link,
  onClose,
}: {
  feature: Feature;
  /** Undefined for a new link. */
  link: FeatureLink | undefined;
  onClose(): void;
}) {
  const path = { projectId: feature.project, featureName: feature.name };
  const { draft, change, discard } = useDraft(`link:${feature.name}:${link?.id ?? 'new'}`, {
    url: link?.url ?? '',
    title: link?.title ?? '',
  });
  const { url, title } = draft;
  const close = () => {
    discard();
    onClose();
  };
  const save = useMutation({
    mutationFn: () => {
      const body = { url: url.trim(), title: title.trim() || null };
      return link ? updateLink({ ...path, linkId: link.id }, body) : addLink(path, body);
    },
    onSuccess: async () => {
      discard();
      onClose();
    },
  });
  const remove = async ({ id, ...body }: FeatureLink) => {
    await deleteLink({ ...path, linkId: id });
    discard();
    onClose();
    const restore = () => addLink(path, body);
    toast({
      message: `Removed link ${body.title ?? body.url}.`,
      action: { label: 'Undo', run: () => void restore().catch(toastError) },
    });
  };
  const messages = messagesByField(save.error);
  return (
    <SidePanel title={link ? 'Edit link' : 'New link'} onClose={close}>
      <Form
        onSubmit={() => save.mutate()}
        actions={
          <>
            {link && (
              <Can call="deleteFeatureLink" project={feature.project}>
                <Button variant="subtle" c="var(--h-bad)" onClick={() => void remove(link).catch(toastError)}>
                  Remove link
                </Button>
              </Can>
            )}
            <Button onClick={close}>Cancel</Button>
            <Can call={link ? 'updateFeatureLink' : 'addFeatureLink'} project={feature.project}>
              <Button type="submit" variant="filled" loading={save.isPending} disabled={url.trim() === ''}>
                {link ? 'Save link' : 'Add link'}
              </Button>
            </Can>
          </>
        }
      >
        <FormErrors messages={messagesWithoutField(save.error, SHOWN_FIELDS)} />
        <TextInput
          label="URL"
          description="Starts with https:// or http://"
          required
          maxLength={2000}
          autoComplete="off"
          data-autofocus
          value={url}
          error={messages.url}
          onChange={event => {
            change({ url: event.target.value });
            save.reset();
          }}
        />
        <TextInput
          label="Title"
          description="Optional. Without a title, the page shows the URL."
          maxLength={500}
          autoComplete="off"
          value={title}
          error={messages.title}
          onChange={event => {
            change({ title: event.target.value });
            save.reset();
          }}
        />
      </Form>
    </SidePanel>
  );
}
