import { NativeSelect } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { isNameTaken, messagesByField, messagesWithoutField } from '../api/errors.ts';
import { useMissingPermissions } from '../api/me.ts';
import { projectsQuery } from '../shell/queries.ts';
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
import { toast } from '../ui/toasts.ts';
import { useCreation } from '../ui/useCreation.ts';
import { useEditor } from '../ui/useEditor.tsx';
import { useFilters } from '../ui/useFilters.ts';
import type { Version } from '../ui/versions.ts';
import { formatCount } from '../ui/words.ts';
import { EnvironmentProjects } from './EnvironmentProjects.tsx';
import s from './environments.module.css';
import {
  buildSubject,
  countProjects,
  createEnvironment,
  deleteEnvironment,
  type Environment,
  environmentQuery,
  updateEnvironment,
} from './queries.ts';

const TYPES = ['development', 'test', 'preproduction', 'production'];

function TypeSelect({
  type,
  error,
  onChange,
}: {
  type: string;
  error: string | undefined;
  onChange(type: string): void;
}) {
  return (
    <NativeSelect
      label="Type"
      description={
        type === 'production'
          ? 'The console asks for confirmation before a flag is toggled here.'
          : 'Determines how flag pages mark the environment.'
      }
      value={type}
      error={error}
      data={[...new Set([...TYPES, type])]}
      onChange={event => onChange(event.target.value)}
    />
  );
}

/** The panel that creates an environment. */
export function NewEnvironmentPanel({ onClose }: { onClose(): void }) {
  const { leave } = useFilters();
  const { draft, edit, submit, error, isPending, unsaved } = useCreation({
    draftKey: 'new-environment',
    empty: { name: '', type: 'development' },
    send: createEnvironment,
    onSent: ({ name }) => {
      // Opens the panel of the new environment, where the user can add it to projects.
      leave({ edit: `environment:${name}` });
      toast({ message: `Created ${name}. New projects include it. Add it to existing projects here.` });
    },
  });
  return (
    <PanelForm
      title="New environment"
      action="Create environment"
      pending={isPending}
      problems={findNameProblems(draft.name)}
      messages={isNameTaken(error) ? [] : messagesWithoutField(error, ['name', 'type'])}
      {...unsaved}
      onSubmit={submit}
      onClose={onClose}
    >
      <NewName
        description="Used in URLs and the API. It cannot be changed later."
        maxLength={100}
        value={draft.name}
        error={error}
        onChange={name => edit({ name })}
      />
      <TypeSelect type={draft.type} error={messagesByField(error).type} onChange={type => edit({ type })} />
    </PanelForm>
  );
}

/** The panel of an environment, with its type, its projects, and the consequences of deleting it. */
export function EnvironmentPanel({ name, onClose }: { name: string; onClose(): void }) {
  const { data, error, refetch } = useQuery(environmentQuery(name));
  if (data)
    return (
      <Editor
        environment={data.environment}
        current={{ draft: { type: data.environment.type }, etag: data.etag }}
        onClose={onClose}
      />
    );
  return (
    <SidePanel title={name} onClose={onClose}>
      <Loading queries={[{ error, refetch }]} rows={3} />
    </SidePanel>
  );
}

type Draft = { type: string };

function Editor({
  environment,
  current,
  onClose,
}: {
  environment: Environment;
  current: Version<Draft>;
  onClose(): void;
}) {
  const { name } = environment;
  const client = useQueryClient();
  const missingPermissions = useMissingPermissions('updateEnvironment');
  const readLatest = async () => {
    const latest = await client.fetchQuery({ ...environmentQuery(name), staleTime: 0 });
    return { draft: { type: latest.environment.type }, etag: latest.etag };
  };
  const { draft, changes, change, error, conflict, confirmation, ...editor } = useEditor<Draft>({
    draftKey: `environment:${name}`,
    current,
    read: readLatest,
    save: (sentDraft, etag) => updateEnvironment(name, sentDraft, etag),
    findChange: () => findChange(buildSubject(name)),
    onSaved: async () => {
      toast({ message: `Saved ${name}.` });
      return await readLatest();
    },
  });
  return (
    <SidePanel title={name} isConfirming={confirmation !== null && changes.length > 0} onClose={onClose}>
      {conflict ? (
        <Conflict noun="environment" {...conflict} />
      ) : (
        <div className={s.panel}>
          <FormErrors messages={messagesWithoutField(error, ['type'])} />
          <fieldset className={s.fields} disabled={missingPermissions.length > 0 || editor.isPending}>
            <TypeSelect
              type={draft.type}
              error={messagesByField(error).type}
              onChange={type => change({ type })}
            />
          </fieldset>
          <EnvironmentProjects environment={name} />
          <LastChange subject={buildSubject(name)} />
          <Deletion environment={environment} />
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

function Deletion({ environment }: { environment: Environment }) {
  const { leave } = useFilters();
  const { name, projectCount, enabledToggleCount, apiTokenCount } = environment;
  const projects = useQuery(projectsQuery).data;
  const archivedCount = projects ? projectCount - countProjects(projects, name) : 0;
  const remove = async () => {
    await deleteEnvironment(name);
    leave({ edit: undefined });
    toast({ message: `Deleted ${name}.` });
  };
  return (
    <DangerZone>
      <DangerAction
        title="Delete this environment"
        action="Delete environment"
        call="deleteEnvironment"
        nameToType={name}
        blocked={findDeletionObstacle(environment)}
        onConfirm={remove}
      >
        {projectCount === 0
          ? 'None of the projects that you can read uses it.'
          : `${formatCount(projectCount, 'project')}${archivedCount > 0 ? `, including ${formatCount(archivedCount, 'archived project')},` : ''} ${projectCount === 1 ? 'loses' : 'lose'} the strategies and variants of all flags in it.`}
        {enabledToggleCount + apiTokenCount === 0 && ' No flag is enabled in it, and no API token uses it.'}
      </DangerAction>
    </DangerZone>
  );
}

/** Explains why an environment cannot be deleted, with links to what has to be removed first. */
function findDeletionObstacle({
  name,
  protected: isProtected,
  enabledToggleCount,
  apiTokenCount,
}: Environment) {
  if (isProtected) return 'You cannot delete a protected environment.';
  if (enabledToggleCount + apiTokenCount === 0) return undefined;
  return (
    <>
      You cannot delete this environment while{' '}
      {enabledToggleCount > 0 && (
        <Link to="/flags" search={{ status: `${name}:enabled` }}>
          {formatCount(enabledToggleCount, 'flag is', 'flags are')} enabled in it
        </Link>
      )}
      {enabledToggleCount > 0 && apiTokenCount > 0 && ' and '}
      {apiTokenCount > 0 && (
        <Link to="/admin/tokens" search={{ query: name }}>
          {formatCount(apiTokenCount, 'API token uses', 'API tokens use')} it
        </Link>
      )}
      .
    </>
  );
}
