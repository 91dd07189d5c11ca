// biome-ignore-all lint/a11y/useSemanticElements: rows of a virtual list are positioned, which table elements do not allow
// biome-ignore-all lint/a11y/useFocusableInteractive: the list moves the active row
import { Link } from '@tanstack/react-router';
import { Star } from 'lucide-react';
import type { Me } from '../api/can.ts';
import { missingPermissions } from '../api/can.ts';
import { Person } from '../ui/Person.tsx';
import { State } from '../ui/State.tsx';
import { Time } from '../ui/Time.tsx';
import { Toggle } from '../ui/Toggle.tsx';
import type { ColumnId } from './columns.ts';
import type { Flag } from './queries.ts';
import s from './search.module.css';

/** The context that all rows share. Pass a stable object: rows are memoized. */
export type RowContext = {
  me: Me;
  grid: string;
  columns: readonly ColumnId[];
  environments: readonly { name: string; type: string }[];
  projectNames: ReadonlyMap<string, string>;
  typeNames: ReadonlyMap<string, string>;
  onToggle(flag: Flag, environment: string, enabled: boolean): void;
  onFavorite(flag: Flag): void;
};

const STAGES = {
  initial: 'Initial',
  'pre-live': 'Pre-live',
  live: 'Live',
  completed: 'Completed',
  archived: 'Archived',
};

export function FlagState({ flag }: { flag: Pick<Flag, 'stale' | 'archivedAt' | 'lifecycle'> }) {
  if (flag.archivedAt) return <State tone="off">Archived</State>;
  if (flag.stale) return <State tone="warn">Stale</State>;
  const { stage } = flag.lifecycle;
  return <State tone={stage === 'live' ? 'on' : 'off'}>{STAGES[stage]}</State>;
}

export function FlagRow({ flag, context }: { flag: Flag; context: RowContext }) {
  const { me, columns, environments, onToggle, onFavorite } = context;
  const shows = (id: ColumnId) => columns.includes(id);
  return (
    <div className={s.row} style={{ gridTemplateColumns: context.grid }} role="presentation">
      <span role="cell" className={s.control}>
        <button
          type="button"
          className={s.star}
          aria-pressed={flag.favorite}
          aria-label={`Star ${flag.name}`}
          onClick={() => onFavorite(flag)}
        >
          <Star size={14} fill={flag.favorite ? 'currentColor' : 'none'} aria-hidden="true" />
        </button>
      </span>
      <span role="cell" className={s.name}>
        <Link
          to="/projects/$projectId/features/$featureName"
          params={{ projectId: flag.project, featureName: flag.name }}
          className="mono"
        >
          {flag.name}
        </Link>
        {flag.description && <small>{flag.description}</small>}
      </span>
      {shows('project') && (
        <span role="cell" className={s.dim}>
          {context.projectNames.get(flag.project) ?? flag.project}
        </span>
      )}
      {shows('type') && (
        <span role="cell" className={s.dim}>
          {context.typeNames.get(flag.type) ?? flag.type}
        </span>
      )}
      {shows('state') && (
        <span role="cell">
          <FlagState flag={flag} />
        </span>
      )}
      {environments.map(({ name }) => {
        const found = flag.environments.find(one => one.name === name);
        const place = { project: flag.project, environment: name };
        return (
          <span role="cell" key={name} className={s.control}>
            {found && (
              <Toggle
                checked={found.enabled}
                label={`${flag.name} in ${name}`}
                disabled={flag.archivedAt !== undefined}
                missing={missingPermissions(me, found.enabled ? 'disableFeature' : 'enableFeature', place)}
                onChange={enabled => onToggle(flag, name, enabled)}
              />
            )}
          </span>
        );
      })}
      {shows('seen') && (
        <span role="cell" className={s.dim}>
          {flag.lastSeenAt ? <Time at={flag.lastSeenAt} /> : 'never'}
        </span>
      )}
      {shows('by') && (
        <span role="cell" className={s.dim}>
          {flag.createdBy && <Person name={flag.createdBy.name} size={18} named />}
        </span>
      )}
      {shows('created') && (
        <span role="cell" className={s.dim}>
          <Time at={flag.createdAt} as="date" />
        </span>
      )}
    </div>
  );
}
