import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Pencil } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { useMissingPermissions } from '../../api/me.ts';
import { Words } from '../../features/Audience.tsx';
import { segmentsQuery } from '../../features/queries.ts';
import { audienceOf } from '../../features/words.ts';
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
import { counted, formatNumber } from '../../ui/words.ts';
import { useProject } from '../Frame.tsx';
import type { ProjectDetails } from '../queries.ts';
import { DefaultStrategyEditor, loadFields } from './DefaultStrategy.tsx';
import { SettingsPage } from './Frame.tsx';
import {
  addEnvironment,
  type EnvironmentOfProject,
  environmentQuery,
  environmentsOfQuery,
  removeEnvironment,
} from './queries.ts';
import s from './settings.module.css';
import { changesOfEnvironments } from './subjects.ts';

/** The environments of a project and their default strategies. `?edit=production` opens one. */
export function EnvironmentsPage() {
  return <SettingsPage>{project => <Environments key={project.id} project={project} />}</SettingsPage>;
}

function Environments({ project }: { project: ProjectDetails }) {
  const { search } = useFilters();
  const own = useQuery(environmentsOfQuery(project.id));
  const all = useQuery(environmentsQuery);
  if (own.error && !own.data) return <Failure error={own.error} onRetry={() => void own.refetch()} />;
  if (!own.data || !all.data) return <Skeleton />;
  const edited = own.data.find(({ name }) => name === search.edit);
  const others = all.data.environments.filter(({ name }) => !own.data.some(one => one.name === name));
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
          {own.data.map(environment => (
            <Card
              key={environment.name}
              project={project}
              environment={environment}
              isOnly={own.data.length === 1}
              isEdited={environment.name === edited?.name}
            >
              {environment.name === edited?.name && (editor?.fields ?? <Skeleton rows={3} />)}
            </Card>
          ))}
          {others.map(({ name, type }) => (
            <Other key={name} project={project} name={name} type={type} />
          ))}
        </>
      }
      bar={editor?.bar}
    >
      {editor?.rail}
      <LastChange subject={changesOfEnvironments(project.id)} />
    </FormAndEffect>
  );
  if (!edited) return page();
  return <DefaultStrategyEditor key={edited.name} project={project} environment={edited} render={page} />;
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
  const [removing, setRemoving] = useState(false);
  const flags = useFlagCount(project.id);
  const segments = useQuery(segmentsQuery).data?.segments ?? [];
  const missing = useMissingPermissions('removeEnvironmentFromProject', { project: project.id });
  const { name, type, defaultStrategy, projectEnabledToggleCount: enabled } = environment;
  const names = new Map(segments.map(one => [one.id, one.name]));
  return (
    <section className={s.card} data-selected={isEdited || undefined} aria-label={name}>
      <header>
        <Toggle
          checked
          label={`${name} in this project`}
          missing={missing}
          onChange={() => setRemoving(true)}
        />
        <Env name={name} type={type} />
        <span className="muted">
          {formatNumber(enabled)}
          {flags !== undefined && ` of ${counted(flags, 'flag')}`} enabled
        </span>
        <span className={`muted ${s.right}`}>{counted(environment.projectApiTokenCount, 'token')}</span>
      </header>
      <div className={s.default}>
        <span className="muted">Default strategy</span>
        <p>
          {defaultStrategy ? <Words words={audienceOf(defaultStrategy, names)} /> : <b>Everyone</b>}
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
      {removing && (
        <Remove project={project} environment={name} isOnly={isOnly} onClose={() => setRemoving(false)} />
      )}
    </section>
  );
}

/** Asks for confirmation before the project loses an environment. Enabled flags prevent it. */
function Remove({
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
  const place = { projectId: project.id, environment };
  const { data, error, refetch } = useQuery({ ...environmentQuery(place), staleTime: 0 });
  const use = data?.environment;
  const isBlocked = isOnly || use === undefined || use.enabledFeatures > 0;
  return (
    <Confirm
      opened
      title={`Remove ${environment} from ${project.name}?`}
      action={`Remove ${environment}`}
      danger
      disabled={isBlocked}
      onConfirm={async () => {
        await removeEnvironment(place);
        toast({ message: `Removed ${environment} from ${project.name}.` });
      }}
      onClose={onClose}
    >
      {error && !use && <Failure error={error} onRetry={() => void refetch()} />}
      {!error && !use && <Skeleton rows={2} />}
      {isOnly && <p>A project has at least one environment. Add another one first.</p>}
      {use && use.enabledFeatures > 0 && (
        <p>
          <Link
            to="/projects/$projectId"
            params={{ projectId: project.id }}
            search={{ status: `${environment}:enabled` }}
            className={s.link}
          >
            {counted(use.enabledFeatures, 'flag is', 'flags are')}
          </Link>{' '}
          enabled in {environment}. Disable {use.enabledFeatures === 1 ? 'it' : 'them'} first.
        </p>
      )}
      {use && !isBlocked && (
        <p>
          {use.strategies + use.variants === 0
            ? `No flag has a strategy or variants in ${environment}.`
            : `The flags lose ${counted(use.strategies, 'strategy', 'strategies')} and ${counted(use.variants, 'variant')} in ${environment}. Nobody can restore them.`}{' '}
          {use.defaultStrategy && 'The default strategy is lost too. '}
          SDKs in {environment} no longer receive flags of the project.
        </p>
      )}
    </Confirm>
  );
}

/** An environment of the instance that the project does not have. */
function Other({ project, name, type }: { project: ProjectDetails; name: string; type: string }) {
  const flags = useFlagCount(project.id);
  const missing = useMissingPermissions('addEnvironmentToProject', { project: project.id });
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
          missing={missing}
          onChange={() => void add().catch(toastError)}
        />
        <Env name={name} type={type} />
        <span className="muted">not used in this project</span>
        <span className={`muted ${s.right}`}>
          {flags !== undefined &&
            flags > 0 &&
            `Enabling it adds a disabled entry to ${counted(flags, 'flag')}`}
        </span>
      </header>
    </section>
  );
}

/** The number of active flags of the project. */
function useFlagCount(projectId: string): number | undefined {
  const { project } = useProject(projectId);
  return project && 'featureCount' in project ? project.featureCount : undefined;
}
