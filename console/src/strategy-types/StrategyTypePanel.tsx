import '@mantine/core/styles/Checkbox.layer.css';
import { ActionIcon, Button, Checkbox, NativeSelect, Textarea, TextInput } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Plus, X } from 'lucide-react';
import { isNameTaken, messagesByField, messagesWithoutField } from '../api/errors.ts';
import { useMissingPermissions } from '../api/me.ts';
import { Can } from '../ui/Can.tsx';
import { Conflict } from '../ui/Conflict.tsx';
import { DangerAction, DangerZone } from '../ui/DangerZone.tsx';
import { FormErrors } from '../ui/Failure.tsx';
import { LastChange } from '../ui/LastChange.tsx';
import { Loading } from '../ui/Loading.tsx';
import { findChange } from '../ui/last-change.ts';
import { NewName } from '../ui/NewName.tsx';
import { PanelForm } from '../ui/PanelForm.tsx';
import { findNameProblems } from '../ui/problems.ts';
import { SaveBar } from '../ui/SaveBar.tsx';
import { SidePanel } from '../ui/SidePanel.tsx';
import { toast, toastError } from '../ui/toasts.ts';
import { useCreation } from '../ui/useCreation.ts';
import { useEditor } from '../ui/useEditor.tsx';
import { useFilters } from '../ui/useFilters.ts';
import type { Version } from '../ui/versions.ts';
import {
  buildSubject,
  createStrategyType,
  deleteStrategyType,
  type Parameter,
  type StrategyType,
  setDeprecated,
  strategyTypeQuery,
  updateStrategyType,
} from './queries.ts';
import s from './strategy-types.module.css';

type Draft = { description: string; parameters: Parameter[] };

const PARAMETER_TYPES = ['string', 'percentage', 'list', 'number', 'boolean'] as const;
const SHOWN_FIELDS = ['name', 'description'];

const EMPTY: Draft & { name: string } = { name: '', description: '', parameters: [] };

const toDraft = ({ description, parameters }: StrategyType): Draft => ({ description, parameters });
const findParameterProblems = ({ parameters }: Draft): string[] =>
  parameters.some(({ name }) => name.trim() === '') ? ['Every parameter needs a name.'] : [];

/** The panel that creates a strategy type. SDKs must implement the type under the same name. */
export function NewStrategyTypePanel({ onClose }: { onClose(): void }) {
  const { leave } = useFilters();
  const { draft, edit, submit, error, isPending, unsaved } = useCreation({
    draftKey: 'new-strategy-type',
    empty: EMPTY,
    send: createStrategyType,
    onSent: ({ name }) => {
      leave({ edit: undefined });
      toast({ message: `Created ${name}.` });
    },
  });
  return (
    <PanelForm
      title="New strategy type"
      action="Create strategy type"
      pending={isPending}
      problems={[...findNameProblems(draft.name), ...findParameterProblems(draft)]}
      messages={isNameTaken(error) ? [] : messagesWithoutField(error, SHOWN_FIELDS)}
      {...unsaved}
      onSubmit={submit}
      onClose={onClose}
    >
      <NewName
        description="SDKs implement the type under this name. It cannot be changed later."
        maxLength={100}
        value={draft.name}
        error={error}
        onChange={name => edit({ name })}
      />
      <TypeFields draft={draft} error={error} onChange={edit} />
    </PanelForm>
  );
}

/** The panel that shows a strategy type, and edits custom ones. */
export function StrategyTypePanel({ name, onClose }: { name: string; onClose(): void }) {
  const { data, error, refetch } = useQuery(strategyTypeQuery(name));
  if (data)
    return (
      <Editor type={data.type} current={{ draft: toDraft(data.type), etag: data.etag }} onClose={onClose} />
    );
  return (
    <SidePanel title={name} onClose={onClose}>
      <Loading queries={[{ error, refetch }]} rows={3} />
    </SidePanel>
  );
}

function Editor({
  type,
  current,
  onClose,
}: {
  type: StrategyType;
  current: Version<Draft>;
  onClose(): void;
}) {
  const { name, editable, deprecated } = type;
  const client = useQueryClient();
  const missingPermissions = useMissingPermissions('updateStrategyType');
  const read = async () => {
    const newest = await client.fetchQuery({ ...strategyTypeQuery(name), staleTime: 0 });
    return { draft: toDraft(newest.type), etag: newest.etag };
  };
  const { draft, changes, change, error, conflict, confirmation, ...editor } = useEditor<Draft>({
    draftKey: `strategy-type:${name}`,
    current,
    read,
    save: (sent, etag) => updateStrategyType(name, sent, etag),
    findChange: () => findChange(buildSubject(name)),
    onSaved: async () => {
      toast({ message: `Saved ${name}.` });
      return await read();
    },
  });
  const deprecate = async () => {
    await setDeprecated(name, !deprecated);
    toast({ message: `${name} is ${deprecated ? 'reactivated' : 'deprecated'}.` });
  };
  return (
    <SidePanel title={type.displayName ?? name} isConfirming={changes.length > 0} onClose={onClose}>
      {conflict ? (
        <Conflict noun="strategy type" {...conflict} />
      ) : (
        <div className={s.panel}>
          {!editable && (
            <p className={s.words}>Built-in: every SDK implements it, and it cannot be changed.</p>
          )}
          <fieldset
            className={s.fields}
            disabled={!editable || missingPermissions.length > 0 || editor.isPending}
          >
            <FormErrors messages={messagesWithoutField(error, SHOWN_FIELDS)} />
            <TypeFields draft={draft} error={error} onChange={change} />
          </fieldset>
          <LastChange subject={buildSubject(name)} />
          {editable && (
            <>
              <div>
                <Can call="deprecateStrategyType">
                  <Button onClick={() => void deprecate().catch(toastError)}>
                    {deprecated ? 'Reactivate' : 'Deprecate'}
                  </Button>
                </Can>
                <p className={s.words}>
                  {deprecated
                    ? 'New strategies should not use it. Existing strategies keep working.'
                    : 'Deprecate it when new strategies should no longer use it.'}
                </p>
              </div>
              <Deletion name={name} />
            </>
          )}
          {editable && (changes.length > 0 || missingPermissions.length > 0) && (
            <SaveBar
              changes={changes}
              missingPermissions={missingPermissions}
              problems={findParameterProblems(draft)}
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

function Deletion({ name }: { name: string }) {
  const { leave } = useFilters();
  const remove = async () => {
    await deleteStrategyType(name);
    leave({ edit: undefined });
    toast({ message: `Deleted ${name}.` });
  };
  return (
    <DangerZone>
      <DangerAction
        title="Delete this strategy type"
        action="Delete strategy type"
        call="deleteStrategyType"
        onConfirm={remove}
      >
        You cannot delete this type while a flag or a default strategy uses it.
      </DangerAction>
    </DangerZone>
  );
}

function TypeFields({
  draft: { description, parameters },
  error,
  onChange,
}: {
  draft: Draft;
  error: unknown;
  onChange(part: Partial<Draft>): void;
}) {
  const setParameter = (index: number, part: Partial<Parameter>) =>
    onChange({
      parameters: parameters.map((parameter, n) => (n === index ? { ...parameter, ...part } : parameter)),
    });
  return (
    <>
      <Textarea
        label="Description"
        rows={2}
        maxLength={4000}
        value={description}
        error={messagesByField(error).description}
        onChange={event => onChange({ description: event.target.value })}
      />
      <section aria-label="Parameters">
        <h3 className={s.heading}>Parameters</h3>
        {parameters.map((parameter, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the name of a parameter changes while it is typed
          <div key={index} className={s.parameter}>
            <TextInput
              aria-label={`Name of parameter ${index + 1}`}
              placeholder="Name"
              maxLength={100}
              value={parameter.name}
              error={parameter.name.trim() === ''}
              onChange={event => setParameter(index, { name: event.target.value })}
            />
            <NativeSelect
              aria-label={`Type of parameter ${index + 1}`}
              value={parameter.type}
              data={PARAMETER_TYPES}
              onChange={event =>
                setParameter(index, {
                  type: PARAMETER_TYPES.find(type => type === event.target.value) ?? 'string',
                })
              }
            />
            <Checkbox
              label="Required"
              checked={parameter.required ?? false}
              onChange={event => setParameter(index, { required: event.target.checked })}
            />
            <ActionIcon
              aria-label={`Remove parameter ${parameter.name || index + 1}`}
              onClick={() => onChange({ parameters: parameters.filter((_, n) => n !== index) })}
            >
              <X size={14} />
            </ActionIcon>
            <TextInput
              aria-label={`Description of parameter ${index + 1}`}
              placeholder="Description"
              maxLength={1000}
              value={parameter.description ?? ''}
              onChange={event => setParameter(index, { description: event.target.value })}
            />
          </div>
        ))}
        <Button
          variant="subtle"
          leftSection={<Plus size={14} />}
          disabled={parameters.length >= 100}
          onClick={() =>
            onChange({
              parameters: [...parameters, { name: '', type: 'string', description: '', required: false }],
            })
          }
        >
          Add a parameter
        </Button>
      </section>
    </>
  );
}
