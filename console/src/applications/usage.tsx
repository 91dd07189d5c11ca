import { NativeSelect } from '@mantine/core';
import { Link, useNavigate, useParams } from '@tanstack/react-router';
import { useCallback } from 'react';
import { FlagLink } from '../features/FlagLink.tsx';
import { ProjectPage } from '../projects/Frame.tsx';
import { Empty } from '../ui/Empty.tsx';
import { Cell } from '../ui/Row.tsx';
import { useFilters } from '../ui/useFilters.ts';
import { usePages } from '../ui/usePages.ts';
import { counted, formatNumber } from '../ui/words.ts';
import s from './applications.module.css';
import { PagedTable } from './PagedTable.tsx';
import { type FlagUsage, projectUsagePage } from './queries.ts';

const keyOf = ({ name }: FlagUsage): string => name;
const COLUMNS = ['Flag', 'Enabled', 'Disabled', 'Last day'];
const DAYS = ['1', '7', '30', '90', '366'];
const DEFAULT_DAYS = '30';

/** How often SDKs evaluated the flags of a project. */
export function ProjectUsagePage() {
  const { projectId = '' } = useParams({ strict: false });
  return <Usage key={projectId} projectId={projectId} />;
}

function Usage({ projectId }: { projectId: string }) {
  const { search, replace } = useFilters();
  const navigate = useNavigate();
  const days = DAYS.find(one => one === search.days) ?? DEFAULT_DAYS;
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
            data={DAYS.map(value => ({ value, label: `Last ${counted(Number(value), 'day')}` }))}
            onChange={event =>
              replace({ days: event.target.value === DEFAULT_DAYS ? undefined : event.target.value })
            }
          />
          <span className="muted">
            {pages.total !== undefined && `${counted(pages.total, 'evaluated flag')}`}
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
        keyOf={keyOf}
        columns={COLUMNS}
        className={s.usage}
        render={render}
        onOpen={({ name }) =>
          void navigate({
            to: '/projects/$projectId/features/$featureName/usage',
            params: { projectId, featureName: name },
          })
        }
        empty={<Empty>No SDK evaluated a flag of this project during this time.</Empty>}
      />
    </ProjectPage>
  );
}

function Row({ projectId, usage: { name, environments } }: { projectId: string; usage: FlagUsage }) {
  const sum = (which: 'yes' | 'no') => environments.reduce((total, one) => total + one[which], 0);
  const lastDay = environments
    .map(one => one.lastDay)
    .toSorted()
    .at(-1);
  return (
    <>
      <Cell as="name">
        <FlagLink project={projectId} name={name} />
        <small>{environments.map(({ environment }) => environment).join(', ')}</small>
      </Cell>
      <Cell as="dim">{formatNumber(sum('yes'))}</Cell>
      <Cell as="dim">{formatNumber(sum('no'))}</Cell>
      <Cell as="dim">{lastDay}</Cell>
    </>
  );
}
