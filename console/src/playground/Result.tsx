import { Link } from '@tanstack/react-router';
import { type CSSProperties, useState } from 'react';
import { State } from '../ui/State.tsx';
import type { Row } from './csv.ts';
import s from './playground.module.css';
import type { Evaluation, Played } from './queries.ts';

/** The name, and a column for each environment. */
export const gridOf = (environments: number): CSSProperties => ({
  gridTemplateColumns: `minmax(0, 2fr) repeat(${environments}, minmax(0, 1fr))`,
});

const REASON: CSSProperties = { gridTemplateColumns: '68px minmax(0, 2fr) minmax(0, 3fr)' };

type ResultProps = {
  feature: Played;
  environments: readonly string[];
  rows: readonly Row[];
  isOpen: boolean;
};

/** A flag with its results. When open, it explains each of them. */
export function Result({ feature, environments, rows, isOpen }: ResultProps) {
  const { name, projectId } = feature;
  const [wasOpened, setOpened] = useState(isOpen);
  const [first] = environments;
  const only =
    environments.length === 1 && rows.length === 1 ? feature.environments[first ?? '']?.[0] : undefined;
  return (
    <li>
      <details open={isOpen} onToggle={event => event.currentTarget.open && setOpened(true)}>
        <summary style={only ? REASON : gridOf(environments.length)}>
          {only && <Outcome evaluation={only} />}
          <span className={s.name}>
            <span className="mono">{name}</span>
            {only?.variant.enabled && <span className={s.variant}>{only.variant.name}</span>}
          </span>
          {only && <span className={s.reason}>{only.explanation[0]}</span>}
          {!only &&
            environments.map(environment => (
              <Summary
                key={environment}
                environment={environment}
                list={feature.environments[environment] ?? []}
              />
            ))}
        </summary>
        {/* 200 flags with 50 contexts each would be 10,000 sentences. */}
        {(wasOpened || isOpen) && (
          <div className={s.explanation}>
            {only ? (
              <Explanation evaluation={only} />
            ) : (
              <Comparison feature={feature} environments={environments} rows={rows} />
            )}
            <Link
              to="/projects/$projectId/features/$featureName"
              params={{ projectId, featureName: name }}
              className={s.open}
            >
              Open {name}
            </Link>
          </div>
        )}
      </details>
    </li>
  );
}

const Outcome = ({ evaluation: { isEnabled } }: { evaluation: Evaluation }) => (
  <State tone={isEnabled ? 'on' : 'off'}>{isEnabled ? 'Enabled' : 'Disabled'}</State>
);

/** The results in one environment: of the only context, or how many contexts get the flag. */
function Summary({ environment, list }: { environment: string; list: readonly Evaluation[] }) {
  const [only] = list;
  const enabled = list.filter(({ isEnabled }) => isEnabled).length;
  return (
    <span className={s.place}>
      <span className="sr">{environment}: </span>
      {!only && <span className="muted">not there</span>}
      {only && list.length === 1 && <Outcome evaluation={only} />}
      {only?.variant.enabled && list.length === 1 && <span className={s.variant}>{only.variant.name}</span>}
      {list.length > 1 && (
        <State tone={enabled > 0 ? 'on' : 'off'}>
          {enabled} of {list.length}
        </State>
      )}
    </span>
  );
}

function Explanation({ evaluation: { explanation, strategies } }: { evaluation: Evaluation }) {
  // Without a match, the explanation already has the sentence of each strategy.
  const isRepeated = strategies.data.every(strategy => explanation.includes(strategy.explanation));
  return (
    <>
      {explanation.map(sentence => (
        <p key={sentence}>{sentence}</p>
      ))}
      {strategies.data.length > 1 && !isRepeated && (
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
    </>
  );
}

/** Contexts below each other, environments side by side, each result with its reason. */
function Comparison({ feature, environments, rows }: Omit<ResultProps, 'isOpen'>) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must be reachable by keyboard
    <section className={s.comparison} tabIndex={0} aria-label={`Results of ${feature.name}`}>
      <table>
        <thead>
          <tr>
            <th scope="col">Context</th>
            {environments.map(name => (
              <th key={name} scope="col">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, at) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: the order of the table is the identity
            <tr key={at}>
              <th scope="row">{wordsOf(row)}</th>
              {environments.map(name => {
                const evaluation = feature.environments[name]?.[at];
                return (
                  <td key={name}>
                    {evaluation && <Outcome evaluation={evaluation} />}{' '}
                    {evaluation?.variant.enabled && (
                      <span className={s.variant}>{evaluation.variant.name}</span>
                    )}
                    <p>
                      {evaluation ? evaluation.explanation.join(' ') : 'The flag is not in this environment.'}
                    </p>
                  </td>
                );
              })}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

/** "userId 7, country NO" */
const wordsOf = (row: Row): string =>
  Object.entries(row)
    .map(([name, value]) => `${name} ${value}`)
    .join(', ') || 'Empty context';
