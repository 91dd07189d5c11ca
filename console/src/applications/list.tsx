import { Button } from '@mantine/core';
import { Link, useNavigate } from '@tanstack/react-router';
import { Empty } from '../ui/Empty.tsx';
import { Page } from '../ui/Page.tsx';
import { Cell } from '../ui/Row.tsx';
import { State } from '../ui/State.tsx';
import { TextFilter } from '../ui/TextFilter.tsx';
import { Time } from '../ui/Time.tsx';
import { useFilters } from '../ui/useFilters.ts';
import { usePages } from '../ui/usePages.ts';
import { formatCount } from '../ui/words.ts';
import s from './applications.module.css';
import { PagedTable } from './PagedTable.tsx';
import { type Application, applicationsPage } from './queries.ts';

const getKey = ({ appName }: Application): string => appName;
const renderRow = (application: Application) => <Row application={application} />;
const COLUMNS = ['Application', 'Projects', 'Environments', 'Last seen'];

/** Lists the applications that use an SDK, most recently seen first. */
export function ApplicationsPage() {
  const { search, push, replace } = useFilters();
  const navigate = useNavigate();
  const query = typeof search.query === 'string' ? search.query : '';
  const pages = usePages(
    page => applicationsPage(query.trim(), page),
    ({ applications }) => applications,
  );
  return (
    <Page
      title="Applications"
      actions={
        <Link to="/unknown-flags" className={s.link}>
          Unknown flags
        </Link>
      }
      head={
        <TextFilter
          label="Filter applications"
          placeholder="Name or description"
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
        onOpen={({ appName }) => void navigate({ to: '/applications/$appName', params: { appName } })}
        empty={
          <Empty
            action={
              query === '' ? (
                <Link to="/admin/tokens/new" className={s.link}>
                  Create an API token
                </Link>
              ) : (
                <Button onClick={() => push({ query: undefined })}>Remove “{query}”</Button>
              )
            }
          >
            {query === ''
              ? 'No application has connected with an SDK yet. An SDK needs an API token.'
              : 'No applications match.'}
          </Empty>
        }
      />
    </Page>
  );
}

function Row({ application }: { application: Application }) {
  const { appName, description, usage, lastSeenAt, instancesBehind } = application;
  const environments = new Set(usage.flatMap(projectUsage => projectUsage.environments));
  return (
    <>
      <Cell variant="name">
        <Link to="/applications/$appName" params={{ appName }}>
          {appName}
        </Link>
        {instancesBehind > 0 ? (
          <State tone="warn">
            {formatCount(instancesBehind, 'instance is behind', 'instances are behind')}
          </State>
        ) : (
          description && <small>{description}</small>
        )}
      </Cell>
      <Cell variant="dim">{usage.map(({ project }) => project).join(', ')}</Cell>
      <Cell variant="dim">{[...environments].join(', ')}</Cell>
      <Cell variant="dim">{lastSeenAt ? <Time at={lastSeenAt} /> : 'never'}</Cell>
    </>
  );
}
