import { Link } from '@tanstack/react-router';
import { TriangleAlert } from 'lucide-react';
import type { Me } from '../api/can.ts';
import { missingPermissions } from '../api/can.ts';
import { Person } from '../ui/Person.tsx';
import { Cell, Cells } from '../ui/Row.tsx';
import { Star } from '../ui/Star.tsx';
import { StateIcon } from '../ui/State.tsx';
import { Time } from '../ui/Time.tsx';
import { Toggle } from '../ui/Toggle.tsx';
import type { ColumnId } from './columns.ts';
import { FlagState } from './FlagState.tsx';
import type { Flag } from './queries.ts';
import s from './search.module.css';

/** The context that all rows share. Pass a stable object, because rows are memoized. */
export type RowContext = {
  me: Me;
  grid: string;
  columns: readonly ColumnId[];
  environments: readonly { name: string; type: string }[];
  projectNames: ReadonlyMap<string, string>;
  typeNames: ReadonlyMap<string, string>;
  onToggle(flag: Flag, environment: string, enabled: boolean): void;
  onFavorite(flag: Flag): void;
  onSelect(flag: Flag): void;
};

export function FlagRow({
  flag,
  isSelected,
  context,
}: {
  flag: Flag;
  isSelected: boolean;
  context: RowContext;
}) {
  const { me, columns, environments, onToggle, onFavorite, onSelect } = context;
  const shows = (id: ColumnId) => columns.includes(id);
  return (
    <Cells className={s.row} style={{ gridTemplateColumns: context.grid }}>
      <Cell as="control">
        <input
          type="checkbox"
          className={s.select}
          checked={isSelected}
          aria-label={`Select ${flag.name}`}
          onChange={() => onSelect(flag)}
          onDoubleClick={event => event.stopPropagation()}
        />
      </Cell>
      <Cell as="control">
        <Star label={`Favorite ${flag.name}`} pressed={flag.favorite} onClick={() => onFavorite(flag)} />
      </Cell>
      <Cell as="name" className={s.name}>
        <Link
          to="/projects/$projectId/features/$featureName"
          params={{ projectId: flag.project, featureName: flag.name }}
          className="mono"
        >
          {flag.name}
        </Link>
        {flag.description && <small>{flag.description}</small>}
      </Cell>
      {shows('project') && <Cell as="dim">{context.projectNames.get(flag.project) ?? flag.project}</Cell>}
      {shows('type') && <Cell as="dim">{context.typeNames.get(flag.type) ?? flag.type}</Cell>}
      {shows('state') && (
        <Cell>
          <FlagState flag={flag} />
        </Cell>
      )}
      {environments.map(({ name }) => {
        const found = flag.environments.find(one => one.name === name);
        const place = { project: flag.project, environment: name };
        return (
          <Cell key={name} as="control" className={s.environment}>
            {found && (
              <Toggle
                checked={found.enabled}
                label={`${flag.name} in ${name}`}
                disabled={flag.archivedAt !== undefined}
                missing={missingPermissions(me, found.enabled ? 'disableFeature' : 'enableFeature', place)}
                onChange={enabled => onToggle(flag, name, enabled)}
              />
            )}
            {found?.enabled && found.blockedBy !== undefined && (
              <StateIcon
                tone="warn"
                label={`The parent ${found.blockedBy} is disabled in ${name}. Nobody gets ${flag.name} there.`}
                icon={<TriangleAlert size={12} aria-hidden="true" />}
              />
            )}
          </Cell>
        );
      })}
      {shows('seen') && <Cell as="dim">{flag.lastSeenAt ? <Time at={flag.lastSeenAt} /> : 'never'}</Cell>}
      {shows('by') && (
        <Cell as="dim">{flag.createdBy && <Person name={flag.createdBy.name} size={18} named />}</Cell>
      )}
      {shows('created') && (
        <Cell as="dim">
          <Time at={flag.createdAt} as="date" />
        </Cell>
      )}
    </Cells>
  );
}
