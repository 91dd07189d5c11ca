// biome-ignore-all lint/a11y/useSemanticElements: rows of a virtual list are positioned, which table elements do not allow
// biome-ignore-all lint/a11y/useFocusableInteractive: the list moves the active row
import { Button } from '@mantine/core';
import { Link, useNavigate } from '@tanstack/react-router';
import { useCallback } from 'react';
import { Empty } from '../ui/Empty.tsx';
import { Failure } from '../ui/Failure.tsx';
import { Keys } from '../ui/Keys.tsx';
import { List } from '../ui/List.tsx';
import { Page } from '../ui/Page.tsx';
import { Cell, Cells, HeaderRow } from '../ui/Row.tsx';
import { Skeleton } from '../ui/Skeleton.tsx';
import { TextFilter } from '../ui/TextFilter.tsx';
import { Time } from '../ui/Time.tsx';
import { useFilters } from '../ui/useFilters.ts';
import { usePages } from '../ui/usePages.ts';
import { counted } from '../ui/words.ts';
import s from './applications.module.css';
import { type Application, applicationsPage } from './queries.ts';

const keyOf = ({ appName }: Application): string => appName;
const COLUMNS = ['Application', 'Projects', 'Environments', 'Last seen'];

/** The programs that use an SDK, those that were seen last first. */
export function ApplicationsPage() {
  const { search, push, replace } = useFilters();
  const navigate = useNavigate();
  const typed = typeof search.query === 'string' ? search.query : '';
  const pages = usePages(
    page => applicationsPage(typed.trim(), page),
    ({ applications }) => applications,
  );
  const render = useCallback((application: Application) => <Row application={application} />, []);
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
          placeholder="Text to find in the name or the description"
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
              <Link to="/admin/tokens/new" className={s.link}>
                Create an API token
              </Link>
            ) : (
              <Button onClick={() => push({ query: undefined })}>Remove “{typed}”</Button>
            )
          }
        >
          {typed === ''
            ? 'No application has used an SDK yet. An SDK connects with an API token.'
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
            onOpen={({ appName }) => void navigate({ to: '/applications/$appName', params: { appName } })}
          />
          <Keys
            hints={[
              ['j k', 'move'],
              ['Enter', 'open'],
            ]}
          />
        </>
      )}
    </Page>
  );
}

function Row({ application }: { application: Application }) {
  const { appName, description, usage, lastSeenAt } = application;
  const environments = new Set(usage.flatMap(one => one.environments));
  return (
    <Cells className={s.columns}>
      <Cell as="name">
        <Link to="/applications/$appName" params={{ appName }}>
          {appName}
        </Link>
        {description && <small>{description}</small>}
      </Cell>
      <Cell as="dim">{usage.map(({ project }) => project).join(', ')}</Cell>
      <Cell as="dim">{[...environments].join(', ')}</Cell>
      <Cell as="dim">{lastSeenAt ? <Time at={lastSeenAt} /> : 'never'}</Cell>
    </Cells>
  );
}
