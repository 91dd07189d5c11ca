import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { useCallback, useMemo } from 'react';
import { contextQuery } from '../features/queries.ts';
import { projectsQuery } from '../shell/queries.ts';
import { ListPage } from '../ui/ListPage.tsx';
import { Cell } from '../ui/Row.tsx';
import { counted } from '../ui/words.ts';
import s from './context-fields.module.css';
import type { ContextField } from './queries.ts';

const keyOf = ({ name }: ContextField): string => name;
const textOf = ({ name, description, legalValues }: ContextField): string =>
  [name, description, ...legalValues.map(({ value }) => value)].join('\n');
const COLUMNS = [
  {
    label: 'Context field',
    compare: (one: ContextField, other: ContextField) => one.name.localeCompare(other.name),
  },
  { label: 'Legal values' },
  { label: 'Project' },
  {
    label: 'Used by',
    compare: (one: ContextField, other: ContextField) => one.usedInFeatures - other.usedInFeatures,
  },
  { label: 'Stickiness' },
];

/** All context fields that the user may read. */
export function ContextFieldsPage() {
  const { data, error, refetch } = useQuery(contextQuery);
  const { data: projects } = useQuery(projectsQuery);
  const navigate = useNavigate();
  const names = useMemo(() => new Map(projects?.map(({ id, name }) => [id, name])), [projects]);
  const render = useCallback(
    ({ name, description, legalValues, project, usedInFeatures, stickiness }: ContextField) => (
      <>
        <Cell as="name">
          <Link to="/admin/context-fields/$contextField" params={{ contextField: name }} className="mono">
            {name}
          </Link>
          {description && <small>{description}</small>}
        </Cell>
        <Cell as="dim">{legalValues.length === 0 ? 'any value' : counted(legalValues.length, 'value')}</Cell>
        <Cell as="dim">{project === null ? 'All projects' : (names.get(project) ?? project)}</Cell>
        <Cell as="dim">
          {usedInFeatures === 0 ? <span className="muted">not used</span> : counted(usedInFeatures, 'flag')}
        </Cell>
        <Cell as="dim">{stickiness ? 'yes' : ''}</Cell>
      </>
    ),
    [names],
  );
  return (
    <ListPage
      title="Context fields"
      noun="context field"
      rows={data}
      error={error}
      onRetry={() => void refetch()}
      keyOf={keyOf}
      textOf={textOf}
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
      empty="No context fields. A field describes a value that applications send."
    />
  );
}
