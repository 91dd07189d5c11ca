import { ActionIcon, Button, TextInput } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { X } from 'lucide-react';
import { useState } from 'react';
import { EVERYWHERE } from '../api/can.ts';
import { messagesByField, messagesWithoutField } from '../api/errors.ts';
import { useMissingPermissions } from '../api/me.ts';
import { Can } from '../ui/Can.tsx';
import { Confirm } from '../ui/Confirm.tsx';
import { Conflict } from '../ui/Conflict.tsx';
import { DangerAction, DangerZone } from '../ui/DangerZone.tsx';
import { FormErrors } from '../ui/Failure.tsx';
import { LastChange } from '../ui/LastChange.tsx';
import { Loading } from '../ui/Loading.tsx';
import { findChange } from '../ui/last-change.ts';
import { SaveBar } from '../ui/SaveBar.tsx';
import { SidePanel } from '../ui/SidePanel.tsx';
import { toast } from '../ui/toasts.ts';
import { useEditor } from '../ui/useEditor.tsx';
import { useFilters } from '../ui/useFilters.ts';
import type { Version } from '../ui/versions.ts';
import { formatCount } from '../ui/words.ts';
import {
  buildSubject,
  createTag,
  deleteTag,
  deleteTagType,
  type Tag,
  type TagType,
  tagTypeQuery,
  updateTagType,
} from './queries.ts';
import { type Draft, SHOWN_FIELDS, TagTypeFields, toBody, toDraft } from './TagTypeForm.tsx';
import s from './tags.module.css';

/** The panel of a tag type, with its description, its color and its tags. */
export function TagTypePanel({
  name,
  tags,
  onClose,
}: {
  name: string;
  tags: readonly Tag[];
  onClose(): void;
}) {
  const { data, error, refetch } = useQuery(tagTypeQuery(name));
  if (data)
    return (
      <Editor
        type={data.tagType}
        current={{ draft: toDraft(data.tagType), etag: data.etag }}
        tags={tags}
        onClose={onClose}
      />
    );
  return (
    <SidePanel title={name} onClose={onClose}>
      <Loading queries={[{ error, refetch }]} rows={3} />
    </SidePanel>
  );
}

function Editor({
  type: { name },
  current,
  tags,
  onClose,
}: {
  type: TagType;
  current: Version<Draft>;
  tags: readonly Tag[];
  onClose(): void;
}) {
  const client = useQueryClient();
  const { leave } = useFilters();
  const missingPermissions = useMissingPermissions('updateTagType');
  const read = async () => {
    const newest = await client.fetchQuery({ ...tagTypeQuery(name), staleTime: 0 });
    return { draft: toDraft(newest.tagType), etag: newest.etag };
  };
  const { draft, changes, change, error, conflict, confirmation, ...editor } = useEditor<Draft>({
    draftKey: `tag-type:${name}`,
    current,
    read,
    save: (sent, etag) => updateTagType(name, toBody(sent), etag),
    findChange: () => findChange(buildSubject(name)),
    onSaved: async () => {
      toast({ message: `Saved ${name}.` });
      return await read();
    },
  });
  const remove = async () => {
    await deleteTagType(name);
    leave({ edit: undefined });
    toast({ message: `Deleted ${name}.` });
  };
  return (
    <SidePanel title={name} isConfirming={changes.length > 0} onClose={onClose}>
      {conflict ? (
        <Conflict noun="tag type" {...conflict} />
      ) : (
        <div className={s.panel}>
          <fieldset className={s.fields} disabled={missingPermissions.length > 0 || editor.isPending}>
            <FormErrors messages={messagesWithoutField(error, SHOWN_FIELDS)} />
            <TagTypeFields draft={draft} error={error} onChange={change} />
          </fieldset>
          <Values type={name} tags={tags} />
          <LastChange subject={buildSubject(name)} />
          <DangerZone>
            <DangerAction
              title="Delete this tag type"
              action="Delete tag type"
              call="deleteTagType"
              {...(tags.length > 0 && { nameToType: name })}
              onConfirm={remove}
            >
              {tags.length === 0
                ? 'It has no tags.'
                : `Its ${formatCount(tags.length, 'tag is', 'tags are')} removed from all flags.`}
            </DangerAction>
          </DangerZone>
          {(changes.length > 0 || missingPermissions.length > 0) && (
            <SaveBar
              changes={changes}
              missingPermissions={missingPermissions}
              disabled={missingPermissions.length > 0}
              pending={editor.isPending}
              onSave={editor.save}
              onDiscard={editor.discard}
            />
          )}
        </div>
      )}
      {confirmation}
    </SidePanel>
  );
}

/** The tags of a type. Each links to the flags that have it. */
function Values({ type, tags }: { type: string; tags: readonly Tag[] }) {
  const [value, setValue] = useState('');
  const [tagToDelete, setTagToDelete] = useState<Tag>();
  const add = useMutation({
    mutationFn: () => createTag({ type, value: value.trim() }),
    onSuccess: () => setValue(''),
  });
  const messages = messagesByField(add.error);
  return (
    <section aria-label="Tags">
      <h3 className={s.heading}>{formatCount(tags.length, 'tag')}</h3>
      <ul className={s.tags}>
        {tags.map(tag => (
          <li key={tag.value}>
            <Link to="/flags" search={{ tag: `INCLUDE:${type}:${tag.value}` }} className="mono">
              {type}:{tag.value}
            </Link>
            <Can call="deleteTag" project={EVERYWHERE}>
              <ActionIcon
                size={22}
                aria-label={`Delete ${type}:${tag.value}`}
                onClick={() => setTagToDelete(tag)}
              >
                <X size={13} />
              </ActionIcon>
            </Can>
          </li>
        ))}
      </ul>
      <form
        className={s.add}
        onSubmit={event => {
          event.preventDefault();
          add.mutate();
        }}
      >
        <TextInput
          aria-label="New tag"
          placeholder="New value, 2 to 50 characters"
          maxLength={50}
          autoComplete="off"
          value={value}
          error={messages.value ?? messagesWithoutField(add.error, ['value'])[0]}
          onChange={event => {
            setValue(event.target.value);
            add.reset();
          }}
        />
        <Button type="submit" loading={add.isPending} disabled={value.trim().length < 2}>
          Add tag
        </Button>
      </form>
      <Confirm
        opened={tagToDelete !== undefined}
        danger
        title={`Delete ${type}:${tagToDelete?.value}?`}
        action="Delete tag"
        onConfirm={async () => {
          if (tagToDelete) await deleteTag(tagToDelete);
        }}
        onClose={() => setTagToDelete(undefined)}
      >
        <p>The tag is removed from all flags.</p>
      </Confirm>
    </section>
  );
}
