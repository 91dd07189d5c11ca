import { Button } from '@mantine/core';
import { Link, useNavigate, useParams } from '@tanstack/react-router';
import { ProjectPage } from '../projects/Frame.tsx';
import { Empty } from '../ui/Empty.tsx';
import { Cell } from '../ui/Row.tsx';
import { TextFilter } from '../ui/TextFilter.tsx';
import { useFilters } from '../ui/useFilters.ts';
import { usePages } from '../ui/usePages.ts';
import { formatCount } from '../ui/words.ts';
import s from './applications.module.css';
import { PagedTable } from './PagedTable.tsx';
import { type ProjectApplication, projectApplicationsPage } from './queries.ts';

const getKey = ({ name }: ProjectApplication): string => name;
const renderRow = (application: ProjectApplication) => <Row application={application} />;
const COLUMNS = ['Application', 'Environments', 'SDKs', 'Instances'];

/** Lists the applications that asked for a project's flags in the last 90 days. */
export function ProjectApplicationsPage() {
  const { projectId = '' } = useParams({ strict: false });
  return <Applications key={projectId} projectId={projectId} />;
}

function Applications({ projectId }: { projectId: string }) {
  const { search, push, replace } = useFilters();
  const navigate = useNavigate();
  const query = typeof search.query === 'string' ? search.query : '';
  const pages = usePages(
    page => projectApplicationsPage(projectId, query.trim(), page),
    ({ applications }) => applications,
  );
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
          placeholder="Part of the name"
          value={query}
          resultText={pages.total === undefined ? undefined : formatCount(pages.total, 'application')}
          onChange={text => replace({ query: text || undefined })}
        />
      }
    >
      <PagedTable
        label="Applications"
        pages={pages}
        getKey={getKey}
        columns={COLUMNS}
        className={s.columns}
        render={renderRow}
        onOpen={({ name }) => void navigate({ to: '/applications/$appName', params: { appName: name } })}
        empty={
          <Empty
            action={
              query === '' ? (
                <Link to="/projects/$projectId/settings/tokens/new" params={{ projectId }} className={s.link}>
                  Create an API token
                </Link>
              ) : (
                <Button onClick={() => push({ query: undefined })}>Remove “{query}”</Button>
              )
            }
          >
            {query === ''
              ? 'No application has asked for a flag in this project in the last 90 days.'
              : 'No applications match.'}
          </Empty>
        }
      />
    </ProjectPage>
  );
}

function Row({ application: { name, environments, sdks, instances } }: { application: ProjectApplication }) {
  return (
    <>
      <Cell variant="name">
        <Link to="/applications/$appName" params={{ appName: name }}>
          {name}
        </Link>
      </Cell>
      <Cell variant="dim">{environments.join(', ')}</Cell>
      <Cell variant="dim">{sdks.map(sdk => `${sdk.name} ${sdk.versions.join(', ')}`).join(' · ')}</Cell>
      <Cell variant="dim">{formatCount(instances.length, 'instance')}</Cell>
    </>
  );
}
