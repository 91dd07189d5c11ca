import { Link } from '@tanstack/react-router';
import { ChevronRight } from 'lucide-react';
import { type CSSProperties, useState } from 'react';
import { State } from '../ui/State.tsx';
import type { Row } from './csv.ts';
import s from './playground.module.css';
import type { Evaluation, PlaygroundFeature } from './queries.ts';

/** Returns a grid with a column for the name and one for each environment. */
export const buildColumnGrid = (environments: number): CSSProperties => ({
  gridTemplateColumns: `minmax(0, 2fr) repeat(${environments}, minmax(0, 1fr))`,
});

const REASON_GRID: CSSProperties = { gridTemplateColumns: '68px minmax(0, 2fr) minmax(0, 3fr)' };

type ResultProps = {
  feature: PlaygroundFeature;
  environments: readonly string[];
  rows: readonly Row[];
  isOpen: boolean;
};

/** Shows a flag with its results, and explains each result when the flag is expanded. */
export function Result({ feature, environments, rows, isOpen }: ResultProps) {
  const { name, projectId } = feature;
  const [wasOpened, setOpened] = useState(isOpen);
  const [firstEnvironment] = environments;
  const singleEvaluation =
    environments.length === 1 && rows.length === 1
      ? feature.environments[firstEnvironment ?? '']?.[0]
      : undefined;
  return (
    <li>
      <details open={isOpen} onToggle={event => event.currentTarget.open && setOpened(true)}>
        <summary style={singleEvaluation ? REASON_GRID : buildColumnGrid(environments.length)}>
          {singleEvaluation && <Outcome evaluation={singleEvaluation} />}
          <span className={s.name}>
            <ChevronRight size={14} className={s.chevron} aria-hidden="true" />
            <span className="mono">{name}</span>
            {singleEvaluation?.variant.enabled && (
              <span className={s.variant}>{singleEvaluation.variant.name}</span>
            )}
          </span>
          {singleEvaluation && <span className={s.reason}>{singleEvaluation.explanation[0]}</span>}
          {!singleEvaluation &&
            environments.map(environment => (
              <Summary
                key={environment}
                environment={environment}
                evaluations={feature.environments[environment] ?? []}
              />
            ))}
        </summary>
        {/* Explanations are rendered on demand, because 200 flags with 50 contexts each would be 10,000 sentences. */}
        {(wasOpened || isOpen) && (
          <div className={s.explanation}>
            {singleEvaluation ? (
              <Explanation evaluation={singleEvaluation} />
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

/** The result in one environment. With several contexts, it shows how many of them get the flag. */
function Summary({ environment, evaluations }: { environment: string; evaluations: readonly Evaluation[] }) {
  const [singleEvaluation] = evaluations;
  const enabledCount = evaluations.filter(({ isEnabled }) => isEnabled).length;
  return (
    <span className={s.place}>
      <span className="sr">{environment}: </span>
      {!singleEvaluation && <span className="muted">not available</span>}
      {singleEvaluation && evaluations.length === 1 && <Outcome evaluation={singleEvaluation} />}
      {singleEvaluation?.variant.enabled && evaluations.length === 1 && (
        <span className={s.variant}>{singleEvaluation.variant.name}</span>
      )}
      {evaluations.length > 1 && (
        <State tone={enabledCount > 0 ? 'on' : 'off'}>
          {enabledCount} of {evaluations.length}
        </State>
      )}
    </span>
  );
}

function Explanation({ evaluation: { explanation, strategies } }: { evaluation: Evaluation }) {
  // Without a match, the explanation already contains each strategy's sentence.
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
            {strategies.data.map((strategy, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: strategies are identified by their order
              <li key={index}>{strategy.explanation}</li>
            ))}
          </ol>
        </>
      )}
    </>
  );
}

/** Shows each result with its reason, in a table with a row for each context and a column for each environment. */
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
          {rows.map((row, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: rows are identified by their order
            <tr key={index}>
              <th scope="row">{describeRow(row)}</th>
              {environments.map(name => {
                const evaluation = feature.environments[name]?.[index];
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

/** Describes a context, for example as "userId 7, country NO". */
const describeRow = (row: Row): string =>
  Object.entries(row)
    .map(([name, value]) => `${name} ${value}`)
    .join(', ') || 'Empty context';
