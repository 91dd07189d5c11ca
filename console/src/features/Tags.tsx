import { ActionIcon, Button, NativeSelect, TextInput } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { X } from 'lucide-react';
import { messagesByField, messagesWithoutField } from '../api/errors.ts';
import { Can } from '../ui/Can.tsx';
import { FormErrors } from '../ui/Failure.tsx';
import { Form } from '../ui/Form.tsx';
import { SidePanel } from '../ui/SidePanel.tsx';
import { toast, toastError } from '../ui/toasts.ts';
import { useDraft } from '../ui/useDraft.ts';
import { changeTags, type Feature, type Tag, tagsQuery, tagTypesQuery } from './queries.ts';
import s from './Tags.module.css';

const SHOWN_FIELDS = ['addedTags.0.type', 'addedTags.0.value'];
const MAX_SUGGESTIONS = 200;

/** The panel that adds and removes tags. Each change applies immediately. */
export function Tags({ feature, onClose }: { feature: Feature; onClose(): void }) {
  const path = { projectId: feature.project, featureName: feature.name };
  const types = useQuery(tagTypesQuery).data ?? [];
  const { draft, change: edit, discard } = useDraft(`tag:${feature.name}`, { type: 'simple', value: '' });
  const { type, value } = draft;
  const suggestions = useQuery(tagsQuery(type)).data ?? [];
  const hasTag = (tag: Tag) =>
    feature.tags.some(other => other.type === tag.type && other.value === tag.value);
  const isTaken = hasTag({ type, value: value.trim() });
  const applyChange = async (body: Parameters<typeof changeTags>[1]) => {
    await changeTags(path, body);
  };
  const add = useMutation({
    mutationFn: () => applyChange({ addedTags: [{ type, value }] }),
    onSuccess: () => {
      discard();
      edit({ type });
    },
  });
  const remove = async (tag: Tag) => {
    await applyChange({ removedTags: [tag] });
    toast({
      message: `Removed tag ${tag.type}:${tag.value}.`,
      action: { label: 'Undo', run: () => void applyChange({ addedTags: [tag] }).catch(toastError) },
    });
  };
  const messages = messagesByField(add.error);
  return (
    <SidePanel
      title="Tags"
      onClose={() => {
        discard();
        onClose();
      }}
    >
      <Form
        onSubmit={() => add.mutate()}
        actions={
          <Can call="changeFeatureTags" project={feature.project}>
            <Button
              type="submit"
              variant="filled"
              loading={add.isPending}
              disabled={value.trim() === '' || isTaken}
            >
              Add tag
            </Button>
          </Can>
        }
      >
        <FormErrors messages={messagesWithoutField(add.error, SHOWN_FIELDS)} />
        <NativeSelect
          label="Type"
          description={types.find(({ name }) => name === type)?.description}
          value={type}
          error={messages['addedTags.0.type']}
          data={types.map(({ name }) => name)}
          onChange={event => {
            edit({ type: event.target.value });
            add.reset();
          }}
        />
        <TextInput
          label="Value"
          description="2 to 50 characters"
          list="tag-values"
          autoComplete="off"
          data-autofocus
          value={value}
          error={messages['addedTags.0.value'] ?? (isTaken && 'The flag already has this tag.')}
          onChange={event => {
            edit({ value: event.target.value });
            add.reset();
          }}
        />
        <datalist id="tag-values">
          {suggestions.slice(0, MAX_SUGGESTIONS).map(suggestion => (
            <option key={suggestion.value} value={suggestion.value} />
          ))}
        </datalist>
      </Form>
      <h3 className={s.heading}>Tags of this flag</h3>
      {feature.tags.length === 0 && <p className="muted">The flag has no tags.</p>}
      <ul className={s.tags}>
        {feature.tags.map(tag => (
          <li key={`${tag.type}:${tag.value}`}>
            {tag.type}:{tag.value}
            <Can call="changeFeatureTags" project={feature.project}>
              <ActionIcon
                size={20}
                aria-label={`Remove tag ${tag.type}:${tag.value}`}
                onClick={() => void remove(tag).catch(toastError)}
              >
                <X size={12} />
              </ActionIcon>
            </Can>
          </li>
        ))}
      </ul>
    </SidePanel>
  );
}
