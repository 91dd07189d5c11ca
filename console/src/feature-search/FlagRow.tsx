import { Link } from '@tanstack/react-router';
import { TriangleAlert } from 'lucide-react';
import type { Me } from '../api/can.ts';
import { missingPermissions } from '../api/can.ts';
import { FavoriteButton } from '../ui/FavoriteButton.tsx';
import { Person } from '../ui/Person.tsx';
import { Cell, Cells } from '../ui/Row.tsx';
import { StateIcon } from '../ui/State.tsx';
import { Time } from '../ui/Time.tsx';
import { Toggle } from '../ui/Toggle.tsx';
import type { ColumnId } from './columns.ts';
import { FlagStage, ListedState } from './FlagState.tsx';
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
  /** The lifetime of each feature type in days. */
  lifetimes: ReadonlyMap<string, number | null>;
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
  const isShown = (id: ColumnId) => columns.includes(id);
  return (
    <Cells className={s.row} style={{ gridTemplateColumns: context.grid }}>
      <Cell variant="control">
        <input
          type="checkbox"
          className={s.select}
          checked={isSelected}
          aria-label={`Select ${flag.name}`}
          onChange={() => onSelect(flag)}
          onDoubleClick={event => event.stopPropagation()}
        />
      </Cell>
      <Cell variant="control">
        <FavoriteButton
          label={`Favorite ${flag.name}`}
          pressed={flag.favorite}
          onClick={() => onFavorite(flag)}
        />
      </Cell>
      <Cell variant="name" className={s.name}>
        <Link
          to="/projects/$projectId/features/$featureName"
          params={{ projectId: flag.project, featureName: flag.name }}
          className="mono"
        >
          {flag.name}
        </Link>
        {flag.description && <small>{flag.description}</small>}
      </Cell>
      {isShown('project') && (
        <Cell variant="dim">{context.projectNames.get(flag.project) ?? flag.project}</Cell>
      )}
      {isShown('type') && <Cell variant="dim">{context.typeNames.get(flag.type) ?? flag.type}</Cell>}
      {isShown('state') && (
        <Cell>
          <ListedState flag={flag} lifetimeDays={context.lifetimes.get(flag.type)} />
        </Cell>
      )}
      {isShown('stage') && (
        <Cell>
          <FlagStage stage={flag.lifecycle.stage} />
        </Cell>
      )}
      {environments.map(({ name }) => {
        const flagEnvironment = flag.environments.find(environment => environment.name === name);
        const scope = { project: flag.project, environment: name };
        return (
          <Cell key={name} variant="control" className={s.environment}>
            {flagEnvironment && (
              <Toggle
                checked={flagEnvironment.enabled}
                label={`${flag.name} in ${name}`}
                disabled={flag.archivedAt !== undefined}
                missingPermissions={missingPermissions(
                  me,
                  flagEnvironment.enabled ? 'disableFeature' : 'enableFeature',
                  scope,
                )}
                onChange={enabled => onToggle(flag, name, enabled)}
              />
            )}
            {flagEnvironment?.enabled && flagEnvironment.blockedBy !== undefined && (
              <StateIcon
                tone="warn"
                label={`The parent ${flagEnvironment.blockedBy} is disabled in ${name}. Nobody gets ${flag.name} there.`}
                icon={<TriangleAlert size={12} aria-hidden="true" />}
              />
            )}
          </Cell>
        );
      })}
      {isShown('seen') && (
        <Cell variant="dim">{flag.lastSeenAt ? <Time at={flag.lastSeenAt} /> : 'never'}</Cell>
      )}
      {isShown('by') && (
        <Cell variant="dim">
          {flag.createdBy && <Person name={flag.createdBy.name} size={18} showName />}
        </Cell>
      )}
      {isShown('created') && (
        <Cell variant="dim">
          <Time at={flag.createdAt} format="date" />
        </Cell>
      )}
    </Cells>
  );
}
