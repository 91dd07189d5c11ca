import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Archive, Lock, Plug, Shield } from 'lucide-react';
import { lazy, type ReactNode, Suspense, useState } from 'react';
import { loadChunk } from '../api/chunks.ts';
import { RequestError } from '../api/errors.ts';
import { UnknownProject } from '../shell/FailedPage.tsx';
import { projectsQuery } from '../shell/queries.ts';
import { useRegisterActions } from '../ui/actions.ts';
import { Failure } from '../ui/Failure.tsx';
import { Page } from '../ui/Page.tsx';
import { Skeleton } from '../ui/Skeleton.tsx';
import { State } from '../ui/State.tsx';
import { Tabs } from '../ui/Tabs.tsx';
import { formatNumber } from '../ui/words.ts';
import s from './Frame.module.css';
import { MODES } from './modes.ts';
import { countsQuery, type Project, type ProjectDetails, projectQuery } from './queries.ts';

const ConnectPanel = lazy(() =>
  loadChunk(() => import('../connect/ConnectExisting.tsx')).then(module => ({
    default: module.ConnectPanel,
  })),
);

/** A project from the list of active projects, or an archived project. */
type ShownProject = Project | ProjectDetails;

/**
 * The frame of a project page, with the project's name, mode and tabs. Without a project, the page covers all projects. Wrap the
 * page in this frame even while it loads.
 */
export function ProjectPage({
  projectId,
  part,
  actions,
  head,
  children,
}: {
  projectId: string | undefined;
  /** The label of the tab, such as "Flags". */
  part: string;
  actions?: ReactNode;
  /** Shown below the tabs, such as a filter bar. */
  head?: ReactNode;
  children: ReactNode;
}) {
  if (projectId === undefined)
    return (
      <Page title={part} note="across all projects" actions={actions} head={head}>
        {children}
      </Page>
    );
  return (
    <SingleProjectPage projectId={projectId} part={part} actions={actions} head={head}>
      {children}
    </SingleProjectPage>
  );
}

function SingleProjectPage({
  projectId,
  part,
  actions,
  head,
  children,
}: {
  projectId: string;
  part: string;
  actions?: ReactNode;
  head?: ReactNode;
  children: ReactNode;
}) {
  const { project, error, retry } = useProject(projectId);
  if (error instanceof RequestError && error.status === 404) return <UnknownProject id={projectId} />;
  if (error && !project)
    return (
      <Page title={projectId}>
        <Failure error={error} onRetry={retry} />
      </Page>
    );
  return (
    <Page
      name={`${part} of ${project?.name ?? projectId}`}
      title={project?.name ?? projectId}
      crumbs={<Link to="/projects">Projects</Link>}
      note={project && <About project={project} />}
      actions={
        <>
          {project?.archivedAt === null && <ConnectAction projectId={projectId} />}
          {actions}
        </>
      }
      head={
        <>
          <ProjectTabs projectId={projectId} project={project} />
          {head}
        </>
      }
    >
      {project || error ? children : <Skeleton />}
    </Page>
  );
}

function ConnectAction({ projectId }: { projectId: string }) {
  const [isOpen, setOpen] = useState(false);
  const open = () => setOpen(true);
  useRegisterActions([{ label: 'Connect an SDK', run: open }]);
  return (
    <>
      <Button variant="subtle" color="gray" leftSection={<Plug size={14} />} onClick={open}>
        Connect an SDK
      </Button>
      <Suspense>{isOpen && <ConnectPanel project={projectId} onClose={() => setOpen(false)} />}</Suspense>
    </>
  );
}

/** Reads a page's project. The sidebar's list contains the active projects, so only an archived project needs a request. */
export function useProject(projectId: string): { project?: ShownProject; error: unknown; retry(): void } {
  const listResult = useQuery(projectsQuery);
  const activeProject = listResult.data?.find(({ id }) => id === projectId);
  const archivedResult = useQuery({
    ...projectQuery(projectId),
    enabled: listResult.data !== undefined && !activeProject,
  });
  const project: ShownProject | undefined = activeProject ?? archivedResult.data?.project;
  return {
    ...(project && { project }),
    error: activeProject ? undefined : (archivedResult.error ?? listResult.error),
    retry: () => void Promise.all([listResult.refetch(), archivedResult.refetch()]),
  };
}

const MODE_ICONS = { open: undefined, protected: Shield, private: Lock };

function About({ project: { mode, description, archivedAt } }: { project: ShownProject }) {
  const Icon = MODE_ICONS[mode];
  return (
    <span className={s.about}>
      {Icon && (
        <State tone="off" icon={<Icon size={12} aria-hidden="true" />}>
          {MODES[mode].label}
        </State>
      )}
      {archivedAt !== null && (
        <State tone="warn" icon={<Archive size={12} aria-hidden="true" />}>
          Archived
        </State>
      )}
      {description && <span className={s.description}>{description}</span>}
    </span>
  );
}

const PARTS = [
  ['Flags', ''],
  ['Health', '/health'],
  ['Events', '/events'],
  ['Applications', '/applications'],
  ['Segments', '/segments'],
  ['Settings', '/settings'],
] as const;

function ProjectTabs({ projectId, project }: { projectId: string; project: ShownProject | undefined }) {
  const counts = useQuery(countsQuery(projectId)).data;
  const base = `/projects/${encodeURIComponent(projectId)}`;
  const listedProject = project && 'featureCount' in project ? project : undefined;
  const countByLabel: Partial<Record<(typeof PARTS)[number][0], number | undefined>> = {
    Flags: listedProject?.featureCount,
    Health: listedProject && listedProject.featureCount > 0 ? listedProject.health : undefined,
    Applications: counts?.applications,
    Segments: counts?.segments,
  };
  return (
    <Tabs
      label="Parts of the project"
      tabs={PARTS.map(([label, path]) => {
        const count = countByLabel[label];
        return { to: base + path, label, ...(count ? { count: formatNumber(count) } : {}) };
      })}
    />
  );
}
