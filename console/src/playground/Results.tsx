import { TextInput } from '@mantine/core';
import { useMemo, useState } from 'react';
import { Empty } from '../ui/Empty.tsx';
import { counted } from '../ui/words.ts';
import type { Row } from './csv.ts';
import s from './playground.module.css';
import type { Played } from './queries.ts';
import { gridOf, Result } from './Result.tsx';

const SHOWN = 200;

/** One row for each flag, with a column for each environment. An open row explains the results. */
export function Results({
  features,
  environments,
  rows,
}: {
  features: readonly Played[];
  environments: readonly string[];
  /** The evaluated contexts. */
  rows: readonly Row[];
}) {
  const [typed, setTyped] = useState('');
  const words = typed.trim().toLowerCase();
  const found = useMemo(
    () => features.filter(({ name }) => name.toLowerCase().includes(words)),
    [features, words],
  );
  if (features.length === 0)
    return (
      <Empty>
        {environments.length === 1
          ? 'No flags are in this environment.'
          : 'No flags are in these environments.'}
      </Empty>
    );
  const enabled = found.filter(one =>
    Object.values(one.environments).some(list => list.some(({ isEnabled }) => isEnabled)),
  ).length;
  return (
    <>
      <div className={s.summary}>
        <TextInput
          aria-label="Filter flags by name"
          placeholder="Filter by name"
          value={typed}
          onChange={event => setTyped(event.target.value)}
        />
        <p role="status">
          {enabled} of {counted(found.length, 'flag')} enabled
          {rows.length > 1 && ` for at least one of ${counted(rows.length, 'context')}`}
        </p>
      </div>
      {environments.length > 1 && (
        <div className={s.header} style={gridOf(environments.length)} aria-hidden="true">
          <span />
          {environments.map(name => (
            <span key={name}>{name}</span>
          ))}
        </div>
      )}
      <ul className={s.results}>
        {found.slice(0, SHOWN).map(one => (
          <Result
            key={one.name}
            feature={one}
            environments={environments}
            rows={rows}
            isOpen={found.length === 1}
          />
        ))}
      </ul>
      {found.length > SHOWN && (
        <p className="muted">The first {SHOWN} flags are shown. Type a part of a name to find others.</p>
      )}
    </>
  );
}
