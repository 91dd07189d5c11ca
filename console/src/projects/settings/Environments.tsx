import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Pencil } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { useMissingPermissions } from '../../api/me.ts';
import { FormattedText } from '../../features/Audience.tsx';
import { segmentsQuery } from '../../features/queries.ts';
import { describeStrategyAudience } from '../../features/words.ts';
import { environmentsQuery } from '../../shell/queries.ts';
import { Can } from '../../ui/Can.tsx';
import { Confirm } from '../../ui/Confirm.tsx';
import { Env } from '../../ui/Env.tsx';
import { Failure } from '../../ui/Failure.tsx';
import { FormAndEffect } from '../../ui/FormAndEffect.tsx';
import { LastChange } from '../../ui/LastChange.tsx';
import { Skeleton } from '../../ui/Skeleton.tsx';
import { State } from '../../ui/State.tsx';
import { Toggle } from '../../ui/Toggle.tsx';
import { toast, toastError } from '../../ui/toasts.ts';
import { useFilters } from '../../ui/useFilters.ts';
import { formatCount, formatNumber } from '../../ui/words.ts';
import { useProject } from '../Frame.tsx';
import type { ProjectDetails } from '../queries.ts';
import { DefaultStrategyEditor, loadFields } from './DefaultStrategy.tsx';
import { SettingsPage } from './Frame.tsx';
import {
  addEnvironment,
  type EnvironmentOfProject,
  environmentQuery,
  projectEnvironmentsQuery,
  removeEnvironment,
} from './queries.ts';
import s from './settings.module.css';
import { buildEnvironmentsSubject } from './subjects.ts';

/** The environments of a project and their default strategies. `?edit=production` opens the editor for production. */
export function EnvironmentsPage() {
  return <SettingsPage>{project => <Environments key={project.id} project={project} />}</SettingsPage>;
}

function Environments({ project }: { project: ProjectDetails }) {
  const { search } = useFilters();
  const ownResult = useQuery(projectEnvironmentsQuery(project.id));
  const allResult = useQuery(environmentsQuery);
  if (ownResult.error && !ownResult.data)
    return <Failure error={ownResult.error} onRetry={() => void ownResult.refetch()} />;
  if (!ownResult.data || !allResult.data) return <Skeleton />;
  const editedEnvironment = ownResult.data.find(({ name }) => name === search.edit);
  const unusedEnvironments = allResult.data.environments.filter(
    ({ name }) => !ownResult.data.some(environment => environment.name === name),
  );
  const page = (editor?: { fields: ReactNode; rail: ReactNode; bar: ReactNode; onSubmit(): void }) => (
    <FormAndEffect
      as="page"
      title="Effect"
      onSubmit={editor?.onSubmit ?? (() => {})}
      form={
        <>
          <header className={s.head}>
            <h2>Environments</h2>
            <span className="muted">A flag enabled without a strategy starts with the default strategy</span>
          </header>
          {ownResult.data.map(environment => (
            <Card
              key={environment.name}
              project={project}
              environment={environment}
              isOnly={ownResult.data.length === 1}
              isEdited={environment.name === editedEnvironment?.name}
            >
              {environment.name === editedEnvironment?.name && (editor?.fields ?? <Skeleton rows={3} />)}
            </Card>
          ))}
          {unusedEnvironments.map(({ name, type }) => (
            <UnusedEnvironment key={name} project={project} name={name} type={type} />
          ))}
        </>
      }
      bar={editor?.bar}
    >
      {editor?.rail}
      <LastChange subject={buildEnvironmentsSubject(project.id)} />
    </FormAndEffect>
  );
  if (!editedEnvironment) return page();
  return (
    <DefaultStrategyEditor
      key={editedEnvironment.name}
      project={project}
      environment={editedEnvironment}
      render={page}
    />
  );
}

/** An environment of the project, with the editor of its default strategy while it is open. */
function Card({
  project,
  environment,
  isOnly,
  isEdited,
  children,
}: {
  project: ProjectDetails;
  environment: EnvironmentOfProject;
  isOnly: boolean;
  isEdited: boolean;
  children: ReactNode;
}) {
  const { push } = useFilters();
  const [isRemoving, setRemoving] = useState(false);
  const flags = useFlagCount(project.id);
  const segments = useQuery(segmentsQuery).data?.segments ?? [];
  const missingPermissions = useMissingPermissions('removeEnvironmentFromProject', { project: project.id });
  const { name, type, defaultStrategy, projectEnabledToggleCount: enabledFlags } = environment;
  const names = new Map(segments.map(segment => [segment.id, segment.name]));
  return (
    <section className={s.card} data-selected={isEdited || undefined} aria-label={name}>
      <header>
        <Toggle
          checked
          label={`${name} in this project`}
          missingPermissions={missingPermissions}
          onChange={() => setRemoving(true)}
        />
        <Env name={name} type={type} />
        <span className="muted">
          {formatNumber(enabledFlags)}
          {flags !== undefined && ` of ${formatCount(flags, 'flag')}`} enabled
        </span>
        <span className={`muted ${s.right}`}>{formatCount(environment.projectApiTokenCount, 'token')}</span>
      </header>
      <div className={s.default}>
        <span className="muted">Default strategy</span>
        <p>
          {defaultStrategy ? (
            <FormattedText parts={describeStrategyAudience(defaultStrategy, names)} />
          ) : (
            <b>Everyone</b>
          )}
          {defaultStrategy?.disabled && <State tone="off">Disabled</State>}
        </p>
        {isEdited ? (
          <State tone="info" icon={<Pencil size={12} aria-hidden="true" />}>
            Editing
          </State>
        ) : (
          <Can call="updateDefaultStrategy" project={project.id}>
            <Button onPointerEnter={() => void loadFields()} onClick={() => push({ edit: name })}>
              Edit <span className="sr">the default strategy in {name}</span>
            </Button>
          </Can>
        )}
      </div>
      {children}
      {isRemoving && (
        <RemoveDialog
          project={project}
          environment={name}
          isOnly={isOnly}
          onClose={() => setRemoving(false)}
        />
      )}
    </section>
  );
}

/** Asks for confirmation before the project loses an environment, which is impossible while flags are enabled there. */
function RemoveDialog({
  project,
  environment,
  isOnly,
  onClose,
}: {
  project: ProjectDetails;
  environment: string;
  isOnly: boolean;
  onClose(): void;
}) {
  const target = { projectId: project.id, environment };
  const { data, error, refetch } = useQuery({ ...environmentQuery(target), staleTime: 0 });
  const usage = data?.environment;
  const isBlocked = isOnly || usage === undefined || usage.enabledFeatures > 0;
  return (
    <Confirm
      opened
      title={`Remove ${environment} from ${project.name}?`}
      action={`Remove ${environment}`}
      danger
      disabled={isBlocked}
      onConfirm={async () => {
        await removeEnvironment(target);
        toast({ message: `Removed ${environment} from ${project.name}.` });
      }}
      onClose={onClose}
    >
      {error && !usage && <Failure error={error} onRetry={() => void refetch()} />}
      {!error && !usage && <Skeleton rows={2} />}
      {isOnly && <p>A project must have at least one environment. Add another one first.</p>}
      {usage && usage.enabledFeatures > 0 && (
        <p>
          <Link
            to="/projects/$projectId"
            params={{ projectId: project.id }}
            search={{ status: `${environment}:enabled` }}
            className={s.link}
          >
            {formatCount(usage.enabledFeatures, 'flag is', 'flags are')}
          </Link>{' '}
          enabled in {environment}. Disable {usage.enabledFeatures === 1 ? 'it' : 'them'} first.
        </p>
      )}
      {usage && !isBlocked && (
        <p>
          {usage.strategies + usage.variants === 0
            ? `No flag has a strategy or variants in ${environment}.`
            : `The flags lose ${formatCount(usage.strategies, 'strategy', 'strategies')} and ${formatCount(usage.variants, 'variant')} in ${environment}. They cannot be restored.`}{' '}
          {usage.defaultStrategy && 'The default strategy is lost too. '}
          SDKs in {environment} no longer receive the project's flags.
        </p>
      )}
    </Confirm>
  );
}

/** An environment of the instance that the project does not use. */
function UnusedEnvironment({ project, name, type }: { project: ProjectDetails; name: string; type: string }) {
  const flags = useFlagCount(project.id);
  const missingPermissions = useMissingPermissions('addEnvironmentToProject', { project: project.id });
  const add = async () => {
    await addEnvironment(project.id, name);
    toast({ message: `Added ${name} to ${project.name}. Every flag is disabled there.` });
  };
  return (
    <section className={s.card} data-unused="" aria-label={name}>
      <header>
        <Toggle
          checked={false}
          label={`${name} in this project`}
          missingPermissions={missingPermissions}
          onChange={() => void add().catch(toastError)}
        />
        <Env name={name} type={type} />
        <span className="muted">not used in this project</span>
        <span className={`muted ${s.right}`}>
          {flags !== undefined &&
            flags > 0 &&
            `If added, it starts disabled for ${formatCount(flags, 'flag')}`}
        </span>
      </header>
    </section>
  );
}

/** Returns how many active flags the project has. */
function useFlagCount(projectId: string): number | undefined {
  const { project } = useProject(projectId);
  return project && 'featureCount' in project ? project.featureCount : undefined;
}
