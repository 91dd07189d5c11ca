import { TextInput } from '@mantine/core';
import { useMemo, useState } from 'react';
import { Empty } from '../ui/Empty.tsx';
import { formatCount } from '../ui/words.ts';
import type { Row } from './csv.ts';
import s from './playground.module.css';
import type { PlaygroundFeature } from './queries.ts';
import { buildColumnGrid, Result } from './Result.tsx';

const MAX_SHOWN = 200;

/** One row for each flag, with a column for each environment. An open row explains the results. */
export function Results({
  features,
  environments,
  rows,
}: {
  features: readonly PlaygroundFeature[];
  environments: readonly string[];
  /** The evaluated contexts. */
  rows: readonly Row[];
}) {
  const [typedName, setTyped] = useState('');
  const searchText = typedName.trim().toLowerCase();
  const matchingFlags = useMemo(
    () => features.filter(({ name }) => name.toLowerCase().includes(searchText)),
    [features, searchText],
  );
  if (features.length === 0)
    return (
      <Empty>
        {environments.length === 1
          ? 'No flags are in this environment.'
          : 'No flags are in these environments.'}
      </Empty>
    );
  const enabledCount = matchingFlags.filter(flag =>
    Object.values(flag.environments).some(list => list.some(({ isEnabled }) => isEnabled)),
  ).length;
  return (
    <>
      <div className={s.summary}>
        <TextInput
          aria-label="Filter flags by name"
          placeholder="Filter by name"
          value={typedName}
          onChange={event => setTyped(event.target.value)}
        />
        <p role="status">
          {enabledCount} of {formatCount(matchingFlags.length, 'flag')} enabled
          {rows.length > 1 && ` for at least one of ${formatCount(rows.length, 'context')}`}
        </p>
      </div>
      {environments.length > 1 && (
        <div className={s.header} style={buildColumnGrid(environments.length)} aria-hidden="true">
          <span />
          {environments.map(name => (
            <span key={name}>{name}</span>
          ))}
        </div>
      )}
      <ul className={s.results}>
        {matchingFlags.slice(0, MAX_SHOWN).map(flag => (
          <Result
            key={flag.name}
            feature={flag}
            environments={environments}
            rows={rows}
            isOpen={matchingFlags.length === 1}
          />
        ))}
      </ul>
      {matchingFlags.length > MAX_SHOWN && (
        <p className="muted">The first {MAX_SHOWN} flags are shown. Type part of a name to find others.</p>
      )}
    </>
  );
}
