import { NativeSelect } from '@mantine/core';
import { Link, useNavigate, useParams } from '@tanstack/react-router';
import { useCallback } from 'react';
import { FlagLink } from '../features/FlagLink.tsx';
import { ProjectPage } from '../projects/Frame.tsx';
import { Empty } from '../ui/Empty.tsx';
import { Cell } from '../ui/Row.tsx';
import { useFilters } from '../ui/useFilters.ts';
import { usePages } from '../ui/usePages.ts';
import { formatCount, formatNumber } from '../ui/words.ts';
import s from './applications.module.css';
import { PagedTable } from './PagedTable.tsx';
import { type FlagUsage, projectUsagePage } from './queries.ts';

const getKey = ({ name }: FlagUsage): string => name;
const COLUMNS = ['Flag', 'Enabled', 'Disabled', 'Last day'];
const DAY_OPTIONS = ['1', '7', '30', '90', '366'];
const DEFAULT_DAYS = '30';

/** Shows how often SDKs evaluated a project's flags. */
export function ProjectUsagePage() {
  const { projectId = '' } = useParams({ strict: false });
  return <Usage key={projectId} projectId={projectId} />;
}

function Usage({ projectId }: { projectId: string }) {
  const { search, replace } = useFilters();
  const navigate = useNavigate();
  const days = DAY_OPTIONS.find(option => option === search.days) ?? DEFAULT_DAYS;
  const pages = usePages(
    page => projectUsagePage(projectId, days, page),
    ({ features }) => features,
  );
  const render = useCallback((usage: FlagUsage) => <Row projectId={projectId} usage={usage} />, [projectId]);
  return (
    <ProjectPage
      projectId={projectId}
      part="Applications"
      head={
        <div className={s.head}>
          <NativeSelect
            aria-label="Period"
            value={days}
            data={DAY_OPTIONS.map(value => ({ value, label: `Last ${formatCount(Number(value), 'day')}` }))}
            onChange={event =>
              replace({ days: event.target.value === DEFAULT_DAYS ? undefined : event.target.value })
            }
          />
          <span className="muted">
            {pages.total !== undefined && `${formatCount(pages.total, 'evaluated flag')}`}
          </span>
          <Link to="/projects/$projectId/applications" params={{ projectId }} className={s.link}>
            Applications
          </Link>
        </div>
      }
    >
      <PagedTable
        label="Flag usage"
        pages={pages}
        getKey={getKey}
        columns={COLUMNS}
        className={s.usage}
        render={render}
        onOpen={({ name }) =>
          void navigate({
            to: '/projects/$projectId/features/$featureName/usage',
            params: { projectId, featureName: name },
          })
        }
        empty={<Empty>No SDK evaluated a flag in this project during this period.</Empty>}
      />
    </ProjectPage>
  );
}

function Row({ projectId, usage: { name, environments } }: { projectId: string; usage: FlagUsage }) {
  const sum = (result: 'yes' | 'no') => environments.reduce((total, usage) => total + usage[result], 0);
  const lastDay = environments
    .map(environment => environment.lastDay)
    .toSorted()
    .at(-1);
  return (
    <>
      <Cell variant="name">
        <FlagLink project={projectId} name={name} />
        <small>{environments.map(({ environment }) => environment).join(', ')}</small>
      </Cell>
      <Cell variant="dim">{formatNumber(sum('yes'))}</Cell>
      <Cell variant="dim">{formatNumber(sum('no'))}</Cell>
      <Cell variant="dim">{lastDay}</Cell>
    </>
  );
}
