import { TextInput } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useMemo, useState } from 'react';
import { Empty } from '../ui/Empty.tsx';
import { State } from '../ui/State.tsx';
import { counted } from '../ui/words.ts';
import s from './playground.module.css';
import type { Evaluation } from './queries.ts';

const SHOWN = 200;

/** One row for each flag. An open row explains the result. */
export function Results({ evaluations }: { evaluations: readonly Evaluation[] }) {
  const [typed, setTyped] = useState('');
  const words = typed.trim().toLowerCase();
  const found = useMemo(
    () => evaluations.filter(({ name }) => name.toLowerCase().includes(words)),
    [evaluations, words],
  );
  const enabled = found.filter(({ isEnabled }) => isEnabled).length;
  if (evaluations.length === 0) return <Empty>No flags are in this environment.</Empty>;
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
        </p>
      </div>
      <ul className={s.results}>
        {found.slice(0, SHOWN).map(evaluation => (
          <Result key={evaluation.name} evaluation={evaluation} isOpen={found.length === 1} />
        ))}
      </ul>
      {found.length > SHOWN && (
        <p className="muted">The first {SHOWN} flags are shown. Type a part of a name to find others.</p>
      )}
    </>
  );
}

function Result({ evaluation, isOpen }: { evaluation: Evaluation; isOpen: boolean }) {
  const { name, projectId, isEnabled, variant, explanation, strategies } = evaluation;
  const others = strategies.data.map(strategy => strategy.explanation);
  return (
    <li>
      <details open={isOpen}>
        <summary>
          <State tone={isEnabled ? 'on' : 'off'}>{isEnabled ? 'Enabled' : 'Disabled'}</State>
          <span className={s.name}>
            <span className="mono">{name}</span>
            {variant.enabled && <span className={s.variant}>{variant.name}</span>}
          </span>
          <span className={s.reason}>{explanation[0]}</span>
        </summary>
        <div className={s.explanation}>
          {explanation.map(sentence => (
            <p key={sentence}>{sentence}</p>
          ))}
          {others.length > 1 && (
            <>
              <h3>Strategies</h3>
              <ol>
                {strategies.data.map((strategy, at) => (
                  // biome-ignore lint/suspicious/noArrayIndexKey: the order of evaluation is the identity
                  <li key={at}>{strategy.explanation}</li>
                ))}
              </ol>
            </>
          )}
          <Link
            to="/projects/$projectId/features/$featureName"
            params={{ projectId, featureName: name }}
            className={s.open}
          >
            Open {name}
          </Link>
        </div>
      </details>
    </li>
  );
}
