import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Archive, Lock, Plug, Shield } from 'lucide-react';
import { lazy, type ReactNode, Suspense, useState } from 'react';
import { loadChunk } from '../api/chunks.ts';
import { RequestError } from '../api/errors.ts';
import { UnknownProject } from '../shell/FailedPage.tsx';
import { projectsQuery } from '../shell/queries.ts';
import { useOfferActions } from '../ui/actions.ts';
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

/** A project in the list of active ones, or one that is archived. */
type Shown = Project | ProjectDetails;

/**
 * The frame of a part of a project: name, mode and tabs. Without a project, the page is about all projects. Wrap the page in it,
 * even while it loads.
 */
export function ProjectPage({
  projectId,
  part,
  actions,
  head,
  children,
}: {
  projectId: string | undefined;
  /** The tab: "Flags". */
  part: string;
  actions?: ReactNode;
  /** Below the tabs, such as a filter bar. */
  head?: ReactNode;
  children: ReactNode;
}) {
  if (projectId === undefined)
    return (
      <Page title={part} note="of all projects" actions={actions} head={head}>
        {children}
      </Page>
    );
  return (
    <OneProject projectId={projectId} part={part} actions={actions} head={head}>
      {children}
    </OneProject>
  );
}

function OneProject({
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
  useOfferActions([{ label: 'Connect an SDK', run: open }]);
  return (
    <>
      <Button variant="subtle" color="gray" leftSection={<Plug size={14} />} onClick={open}>
        Connect an SDK
      </Button>
      <Suspense>{isOpen && <ConnectPanel project={projectId} onClose={() => setOpen(false)} />}</Suspense>
    </>
  );
}

/** The project of a page. The list of the sidebar has the active ones; only an archived one needs a request. */
export function useProject(projectId: string): { project?: Shown; error: unknown; retry(): void } {
  const list = useQuery(projectsQuery);
  const active = list.data?.find(({ id }) => id === projectId);
  const other = useQuery({ ...projectQuery(projectId), enabled: list.data !== undefined && !active });
  const project: Shown | undefined = active ?? other.data?.project;
  return {
    ...(project && { project }),
    error: active ? undefined : (other.error ?? list.error),
    retry: () => void Promise.all([list.refetch(), other.refetch()]),
  };
}

const MODE_ICONS = { open: undefined, protected: Shield, private: Lock };

function About({ project: { mode, description, archivedAt } }: { project: Shown }) {
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

function ProjectTabs({ projectId, project }: { projectId: string; project: Shown | undefined }) {
  const counts = useQuery(countsQuery(projectId)).data;
  const base = `/projects/${encodeURIComponent(projectId)}`;
  const listed = project && 'featureCount' in project ? project : undefined;
  const countOf: Partial<Record<(typeof PARTS)[number][0], number | undefined>> = {
    Flags: listed?.featureCount,
    Health: listed && listed.featureCount > 0 ? listed.health : undefined,
    Applications: counts?.applications,
    Segments: counts?.segments,
  };
  return (
    <Tabs
      label="Parts of the project"
      tabs={PARTS.map(([label, path]) => {
        const count = countOf[label];
        return { to: base + path, label, ...(count ? { count: formatNumber(count) } : {}) };
      })}
    />
  );
}
