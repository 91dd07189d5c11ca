import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { Download } from 'lucide-react';
import { lazy, Suspense, useCallback, useMemo } from 'react';
import { loadChunk } from '../api/chunks.ts';
import { useMe } from '../api/me.ts';
import { ProjectPage } from '../projects/Frame.tsx';
import { Can } from '../ui/Can.tsx';
import { CopyLink } from '../ui/Copy.tsx';
import { Empty, NoMatch } from '../ui/Empty.tsx';
import { Failure, NotFound } from '../ui/Failure.tsx';
import { FilterBar } from '../ui/FilterBar.tsx';
import { listFilters } from '../ui/filters.ts';
import { Menu, MenuItem } from '../ui/Menu.tsx';
import { Page } from '../ui/Page.tsx';
import { Skeleton } from '../ui/Skeleton.tsx';
import { type Search, stringifySearch } from '../ui/search.ts';
import { Toggle } from '../ui/Toggle.tsx';
import { useFilters } from '../ui/useFilters.ts';
import { formatCount } from '../ui/words.ts';
import { EventDetail } from './EventDetail.tsx';
import { EventLog } from './EventLog.tsx';
import s from './events.module.css';
import { toApiQuery, useEventFields } from './fields.ts';
import { eventQuery } from './queries.ts';
import { useEvents } from './useEvents.ts';

const SavedViews = lazy(() =>
  loadChunk(() => import('../views/SavedViews.tsx')).then(module => ({ default: module.SavedViews })),
);

/** Shows all events that the user may read. */
export function EventsPage() {
  return <Events />;
}

/** Shows the events of a project. */
export function ProjectEventsPage() {
  const { projectId = '' } = useParams({ strict: false });
  return <Events key={projectId} projectId={projectId} />;
}

function Events({ projectId }: { projectId?: string }) {
  const { search, push, replace } = useFilters();
  const fields = useEventFields(projectId === undefined);
  const key = JSON.stringify(toApiQuery(search, projectId));
  // Depends on the key rather than on `search`, because selecting an event changes the URL but not the query.
  const filters = useMemo((): Search => JSON.parse(key), [key]);
  const isLive = search.live !== 'off';
  const events = useEvents(filters, isLive);
  const select = useCallback((id: string | undefined) => replace({ event: id }), [replace]);
  const isAdmin = useMe().permissions.some(({ permission }) => permission === 'ADMIN');
  const hasFilters = listFilters(search, fields).length > 0;
  const isEmpty = events.total === 0 && !events.isPrevious;
  return (
    <ProjectPage
      projectId={projectId}
      part="Events"
      actions={
        <>
          <span className={s.live} data-on={isLive || undefined}>
            <i className={s.dot} aria-hidden="true" />
            <span aria-hidden="true">Live</span>
            <Toggle
              checked={isLive}
              label="Live"
              onChange={checked => replace({ live: checked ? undefined : 'off' })}
            />
          </span>
          <Suspense>
            <SavedViews
              page={projectId === undefined ? '/events' : `/projects/${encodeURIComponent(projectId)}/events`}
              filters={toApiQuery(search, undefined)}
              projectId={projectId}
            />
          </Suspense>
          <Export filters={filters} />
        </>
      }
      head={
        <FilterBar
          fields={fields}
          search={search}
          onChange={push}
          resultText={formatTotal(events.total, events.totalIsLowerBound)}
          hint="Add a filter, or text to find in values, tags and comments"
          api="/api/admin/search/events"
        />
      }
    >
      {isEmpty && hasFilters && (
        <NoMatch noun="events" hint={events.hint} search={search} fields={fields} onChange={push} />
      )}
      {isEmpty && projectId === undefined && !isAdmin && (
        <p className={s.adminsOnly}>
          Some events have no project, such as those about integrations and users. You see the ones you
          caused; admins see all of them.
        </p>
      )}
      {isEmpty && !hasFilters && <NoEvents isProject={projectId !== undefined} />}
      {!isEmpty && (
        <EventLog
          events={events}
          filters={filters}
          selected={typeof search.event === 'string' ? search.event : undefined}
          hasFilterBar
          onSelect={select}
          onRange={push}
        />
      )}
    </ProjectPage>
  );
}

function NoEvents({ isProject }: { isProject: boolean }) {
  if (isProject)
    return <Empty>No events yet. Every change to the project and its flags will appear here.</Empty>;
  return (
    <Empty
      action={
        <Can call="createProject">
          <Button variant="filled" renderRoot={props => <Link {...props} to="/projects" />}>
            Create a project
          </Button>
        </Can>
      }
    >
      No events yet.
    </Empty>
  );
}

/** Downloads all events that the search finds as a file. */
function Export({ filters }: { filters: Search }) {
  const buildExportUrl = (format: string) =>
    `/api/admin/search/events/export${stringifySearch({ ...filters, format })}`;
  return (
    <Menu target={<Button leftSection={<Download size={14} />}>Export</Button>}>
      <MenuItem as="a" href={buildExportUrl('ndjson')} download="events.ndjson">
        JSON lines
      </MenuItem>
      <MenuItem as="a" href={buildExportUrl('csv')} download="events.csv">
        CSV
      </MenuItem>
    </Menu>
  );
}

/** Shows the event whose id is in the URL. */
export function EventPage() {
  const { eventId = '' } = useParams({ strict: false });
  const { data: event, error, refetch } = useQuery(eventQuery(eventId));
  return (
    <Page
      title={`Event ${eventId}`}
      crumbs={<Link to="/events">Events</Link>}
      note={event?.label}
      actions={
        <>
          <Button renderRoot={props => <Link {...props} to="/events" search={{ event: eventId }} />}>
            Show in the event log
          </Button>
          <CopyLink path={`/events/${eventId}`} />
        </>
      }
    >
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must be reachable by keyboard */}
      <section className={s.page} tabIndex={0} aria-label={`Details of event ${eventId}`}>
        <div>
          {event && <EventDetail event={event} />}
          {event === null && <NotFound message={`Event ${eventId}`} />}
          {event === undefined && error && <Failure error={error} onRetry={() => void refetch()} />}
          {event === undefined && !error && <Skeleton rows={8} />}
        </div>
      </section>
    </Page>
  );
}

/** Formats the number of matching events, with "at least" if counting all of them would have taken too long. */
const formatTotal = (total: number | undefined, isLowerBound: boolean): string | undefined =>
  total === undefined ? undefined : `${isLowerBound ? 'at least ' : ''}${formatCount(total, 'event')}`;
