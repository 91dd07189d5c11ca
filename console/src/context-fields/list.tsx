import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { useCallback, useMemo } from 'react';
import { contextQuery } from '../features/queries.ts';
import { projectsQuery } from '../shell/queries.ts';
import { ListPage } from '../ui/ListPage.tsx';
import { Cell } from '../ui/Row.tsx';
import { formatCount } from '../ui/words.ts';
import s from './context-fields.module.css';
import type { ContextField } from './queries.ts';

const getKey = ({ name }: ContextField): string => name;
const getSearchText = ({ name, description, legalValues }: ContextField): string =>
  [name, description, ...legalValues.map(({ value }) => value)].join('\n');
const COLUMNS = [
  {
    label: 'Context field',
    compare: (a: ContextField, b: ContextField) => a.name.localeCompare(b.name),
  },
  { label: 'Legal values' },
  { label: 'Project' },
  {
    label: 'Used by',
    compare: (a: ContextField, b: ContextField) => a.usedInFeatures - b.usedInFeatures,
  },
  { label: 'Stickiness' },
];

/** Lists all context fields that the user may read. */
export function ContextFieldsPage() {
  const { data, error, refetch } = useQuery(contextQuery);
  const { data: projects } = useQuery(projectsQuery);
  const navigate = useNavigate();
  const projectNames = useMemo(() => new Map(projects?.map(({ id, name }) => [id, name])), [projects]);
  const render = useCallback(
    ({ name, description, legalValues, project, usedInFeatures, stickiness }: ContextField) => (
      <>
        <Cell variant="name">
          <Link to="/admin/context-fields/$contextField" params={{ contextField: name }} className="mono">
            {name}
          </Link>
          {description && <small>{description}</small>}
        </Cell>
        <Cell variant="dim">
          {legalValues.length === 0 ? 'any value' : formatCount(legalValues.length, 'value')}
        </Cell>
        <Cell variant="dim">
          {project === null ? 'All projects' : (projectNames.get(project) ?? project)}
        </Cell>
        <Cell variant="dim">
          {usedInFeatures === 0 ? (
            <span className="muted">not used</span>
          ) : (
            formatCount(usedInFeatures, 'flag')
          )}
        </Cell>
        <Cell variant="dim">{stickiness ? 'yes' : ''}</Cell>
      </>
    ),
    [projectNames],
  );
  return (
    <ListPage
      title="Context fields"
      noun="context field"
      rows={data}
      error={error}
      onRetry={() => void refetch()}
      getKey={getKey}
      getSearchText={getSearchText}
      placeholder="Name or legal value"
      columns={COLUMNS}
      className={s.columns ?? ''}
      render={render}
      onOpen={({ name }) =>
        void navigate({ to: '/admin/context-fields/$contextField', params: { contextField: name } })
      }
      create={{
        label: 'New context field',
        call: 'createProjectContextField',
        run: () => void navigate({ to: '/admin/context-fields/new' }),
      }}
      empty="No context fields yet. A field describes a value that applications send."
    />
  );
}
