// biome-ignore-all lint/a11y/useSemanticElements: rows of a virtual list are positioned, which table elements do not allow
// biome-ignore-all lint/a11y/useFocusableInteractive: the list moves the active row
import { Button } from '@mantine/core';
import { Link, useNavigate, useParams } from '@tanstack/react-router';
import { useCallback } from 'react';
import { ProjectPage } from '../projects/Frame.tsx';
import { Empty } from '../ui/Empty.tsx';
import { Failure } from '../ui/Failure.tsx';
import { Keys } from '../ui/Keys.tsx';
import { List } from '../ui/List.tsx';
import { Cell, Cells, HeaderRow } from '../ui/Row.tsx';
import { Skeleton } from '../ui/Skeleton.tsx';
import { TextFilter } from '../ui/TextFilter.tsx';
import { useFilters } from '../ui/useFilters.ts';
import { usePages } from '../ui/usePages.ts';
import { counted } from '../ui/words.ts';
import s from './applications.module.css';
import { type ProjectApplication, projectApplicationsPage } from './queries.ts';

const keyOf = ({ name }: ProjectApplication): string => name;
const COLUMNS = ['Application', 'Environments', 'SDKs', 'Instances'];

/** The applications that asked for flags of one project in the last 90 days. */
export function ProjectApplicationsPage() {
  const { projectId = '' } = useParams({ strict: false });
  return <Applications key={projectId} projectId={projectId} />;
}

function Applications({ projectId }: { projectId: string }) {
  const { search, push, replace } = useFilters();
  const navigate = useNavigate();
  const typed = typeof search.query === 'string' ? search.query : '';
  const pages = usePages(
    page => projectApplicationsPage(projectId, typed.trim(), page),
    ({ applications }) => applications,
  );
  const render = useCallback((application: ProjectApplication) => <Row application={application} />, []);
  return (
    <ProjectPage
      projectId={projectId}
      part="Applications"
      actions={
        <Link to="/projects/$projectId/applications/usage" params={{ projectId }} className={s.link}>
          Flag usage
        </Link>
      }
      head={
        <TextFilter
          label="Filter applications"
          placeholder="Text to find in the name"
          value={typed}
          found={pages.total === undefined ? undefined : counted(pages.total, 'application')}
          onChange={query => replace({ query: query || undefined })}
        />
      }
    >
      {pages.error && <Failure error={pages.error} onRetry={pages.retry} />}
      {!pages.error && pages.total === undefined && <Skeleton rows={8} />}
      {pages.total === 0 && (
        <Empty
          action={
            typed === '' ? (
              <Link to="/projects/$projectId/settings/tokens/new" params={{ projectId }} className={s.link}>
                Create an API token
              </Link>
            ) : (
              <Button onClick={() => push({ query: undefined })}>Remove “{typed}”</Button>
            )
          }
        >
          {typed === ''
            ? 'No application has asked for a flag of this project in the last 90 days.'
            : 'No applications match.'}
        </Empty>
      )}
      {(pages.total ?? 0) > 0 && (
        <>
          <List
            as="table"
            label="Applications"
            count={pages.total ?? 0}
            rowAt={pages.rowAt}
            keyOf={keyOf}
            header={
              <HeaderRow className={s.columns}>
                {COLUMNS.map(column => (
                  <span key={column} role="columnheader">
                    {column}
                  </span>
                ))}
              </HeaderRow>
            }
            render={render}
            onVisible={pages.onVisible}
            onOpen={({ name }) => void navigate({ to: '/applications/$appName', params: { appName: name } })}
          />
          <Keys
            hints={[
              ['j k', 'move'],
              ['Enter', 'open'],
            ]}
          />
        </>
      )}
    </ProjectPage>
  );
}

function Row({ application: { name, environments, sdks, instances } }: { application: ProjectApplication }) {
  return (
    <Cells className={s.columns}>
      <Cell as="name">
        <Link to="/applications/$appName" params={{ appName: name }}>
          {name}
        </Link>
      </Cell>
      <Cell as="dim">{environments.join(', ')}</Cell>
      <Cell as="dim">{sdks.map(sdk => `${sdk.name} ${sdk.versions.join(', ')}`).join(' · ')}</Cell>
      <Cell as="dim">{counted(instances.length, 'instance')}</Cell>
    </Cells>
  );
}
