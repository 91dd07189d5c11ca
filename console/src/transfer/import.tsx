import { Button, NativeSelect, Textarea } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type ChangeEvent, useId, useState } from 'react';
import { can } from '../api/can.ts';
import { messagesWithoutField } from '../api/errors.ts';
import { useMe } from '../api/me.ts';
import { projectsQuery } from '../shell/queries.ts';
import { FormErrors } from '../ui/Failure.tsx';
import { FormAndEffect } from '../ui/FormAndEffect.tsx';
import { toProjectOptions } from '../ui/project-options.ts';
import { State } from '../ui/State.tsx';
import { useUnsaved } from '../ui/useUnsaved.tsx';
import { WaitingChanges } from '../ui/WaitingChanges.tsx';
import { formatCount } from '../ui/words.ts';
import { TransferFrame } from './Frame.tsx';
import { ImportCheck } from './ImportCheck.tsx';
import { checkImport, type ImportInput, importFlags, projectEnvironmentsQuery } from './queries.ts';
import s from './transfer.module.css';
import { describeContents, findSourceEnvironment, parseExport } from './words.ts';

/** The maximum size that the server accepts. */
const MAX_BYTES = 8_388_608;

type Source = { text: string; file?: string; problem?: string };

/** Imports flags from a file or pasted JSON, after a check. */
export function ImportPage() {
  const me = useMe();
  const { data: projects = [] } = useQuery(projectsQuery);
  const [source, setSource] = useState<Source>({ text: '' });
  const [chosenTarget, setChosenTarget] = useState<{ project?: string; environment?: string }>({});
  const project = chosenTarget.project ?? '';
  const { data: projectEnvironments } = useQuery(projectEnvironmentsQuery(project));
  const environments = projectEnvironments?.environments ?? [];
  const parsedSource = source.text === '' ? undefined : parseExport(source.text);
  const data = parsedSource && 'data' in parsedSource ? parsedSource.data : undefined;
  const problem =
    source.problem ?? (parsedSource && 'problem' in parsedSource ? parsedSource.problem : undefined);
  const sourceEnvironment = data && findSourceEnvironment(data);
  const environment =
    chosenTarget.environment ?? environments.find(({ name }) => name === sourceEnvironment)?.name ?? '';
  const isProduction = environments.find(({ name }) => name === environment)?.type === 'production';
  const input: ImportInput | undefined =
    data && project && environment ? { project, environment, data } : undefined;
  const key = JSON.stringify([source.text, project, environment]);

  const [checkedKey, setCheckedKey] = useState<string>();
  const check = useMutation({
    mutationFn: (body: ImportInput) => checkImport(body),
    onSuccess: () => setCheckedKey(key),
  });
  const apply = useMutation({ mutationFn: (body: ImportInput) => importFlags(body) });
  const report = checkedKey === key ? check.data : undefined;
  const flagCount = report ? report.effect.created.length + report.effect.overwritten.length : 0;
  const targetLabel = isProduction ? `${environment} (production)` : environment;
  const canImport = report?.errors.length === 0 && report.permissions.length === 0;
  const change = (next: Source) => {
    setSource(next);
    check.reset();
    apply.reset();
  };
  const { confirmation } = useUnsaved(source.text !== '' && !apply.isSuccess, () => {});

  return (
    <TransferFrame name="Import">
      <FormAndEffect
        wide
        title={apply.isSuccess ? 'Imported' : 'What the import does'}
        isBusy={check.isPending || apply.isPending}
        onSubmit={() => input && check.mutate(input)}
        form={
          <>
            <FormErrors messages={messagesWithoutField(check.error, [])} />
            <SourceFields source={source} problem={problem} onChange={change} />
            {data && <p className={s.found}>{describeContents(data).join(', ')}</p>}
            <NativeSelect
              label="Into the project"
              description={
                can(me, 'createProject') && (
                  <>
                    If it does not exist yet,{' '}
                    <Link to="/projects" search={{ edit: 'new' }} className={s.link}>
                      create it
                    </Link>{' '}
                    first.
                  </>
                )
              }
              value={project}
              data={[
                ...(project === '' ? [{ value: '', label: 'Choose a project' }] : []),
                ...toProjectOptions(projects),
              ]}
              onChange={event => {
                setChosenTarget({ project: event.target.value });
                apply.reset();
              }}
            />
            <NativeSelect
              label="Into the environment"
              description={`${sourceEnvironment === undefined ? '' : `The export is from ${sourceEnvironment}. `}Other environments do not change.`}
              value={environment}
              data={[
                ...(environment === '' ? [{ value: '', label: 'Choose an environment' }] : []),
                ...environments.map(({ name }) => ({ value: name, label: name })),
              ]}
              onChange={event => {
                setChosenTarget({ project, environment: event.target.value });
                apply.reset();
              }}
            />
          </>
        }
        actions={
          <Button
            type="submit"
            variant={canImport ? 'default' : 'filled'}
            loading={check.isPending}
            disabled={!input}
          >
            Check
          </Button>
        }
      >
        {!report && !apply.isSuccess && (
          <p className="muted">
            The check lists conflicts, the permissions that you lack, and what the import creates, overwrites
            and omits. It writes nothing.
          </p>
        )}
        {report && !apply.isSuccess && (
          <>
            <ImportCheck report={report} />
            <FormErrors messages={messagesWithoutField(apply.error, [])} />
            <WaitingChanges />
            <div className={s.apply}>
              <Button
                variant="filled"
                loading={apply.isPending}
                disabled={!canImport}
                onClick={() => input && apply.mutate(input)}
              >
                {flagCount === 0 ? 'Import' : `Import ${formatCount(flagCount, 'flag')} into ${targetLabel}`}
              </Button>
              <span role="status" className="muted">
                {apply.isPending
                  ? 'Importing… If anything fails, nothing is imported.'
                  : !canImport &&
                    'You cannot import this yet. Resolve the problems in red, or choose a different project, and check again.'}
              </span>
            </div>
          </>
        )}
        {apply.isSuccess && (
          <div role="status" className={s.done}>
            <State tone="on">Done</State>
            {apply.data ? (
              <p>
                The import is one change.{' '}
                <Link to="/events/$eventId" params={{ eventId: String(apply.data.id) }}>
                  Open it in the event log
                </Link>{' '}
                or{' '}
                <Link to="/projects/$projectId" params={{ projectId: project }}>
                  see the flags
                </Link>
                .
              </p>
            ) : (
              <p>Nothing changed, because the flags already had this state.</p>
            )}
          </div>
        )}
      </FormAndEffect>
      {confirmation}
    </TransferFrame>
  );
}

function SourceFields({
  source,
  problem,
  onChange,
}: {
  source: Source;
  problem: string | undefined;
  onChange(source: Source): void;
}) {
  const id = useId();
  const read = async ({ target }: ChangeEvent<HTMLInputElement>) => {
    const [file] = target.files ?? [];
    if (!file) return;
    if (file.size > MAX_BYTES)
      return onChange({
        text: '',
        file: file.name,
        problem: 'The file is larger than 8 MiB, the maximum that the server accepts.',
      });
    onChange({ text: await file.text(), file: file.name });
  };
  return (
    <>
      <div className={s.file}>
        <label htmlFor={id}>File</label>
        <input id={id} type="file" accept=".json,application/json" onChange={event => void read(event)} />
      </div>
      {source.file === undefined ? (
        <Textarea
          label="Or paste an export"
          classNames={{ input: 'mono' }}
          rows={8}
          spellCheck={false}
          autoComplete="off"
          value={source.text}
          error={problem}
          onChange={event => onChange({ text: event.target.value })}
        />
      ) : (
        problem && <FormErrors messages={[problem]} />
      )}
    </>
  );
}
