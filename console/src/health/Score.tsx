import { Tooltip } from '@mantine/core';
import { Ring } from '../ui/Chart.tsx';
import s from './health.module.css';
import type { Health } from './queries.ts';
import { formulaOf, scoreAfter } from './words.ts';

/** The score of the project, how it is computed, and the score after all repairs. */
export function Score({ health }: { health: Health }) {
  const after = scoreAfter(health);
  return (
    <section className={s.card} aria-labelledby="score">
      <header>
        <h2 id="score">Score</h2>
      </header>
      <div className={s.score}>
        <Tooltip label={health.formula} multiline maw={320}>
          <div>
            <Ring
              value={health.health}
              after={after}
              label={`Health ${health.health} of 100, ${after} after all repairs`}
            />
          </div>
        </Tooltip>
        <div>
          <p className={s.after}>
            {after > health.health ? (
              <>
                <b>{after}</b> after all repairs
              </>
            ) : (
              'Nothing to repair'
            )}
          </p>
          <p className="muted">{formulaOf(health.counts)}</p>
        </div>
      </div>
      <p className="sr" role="status">
        Health {health.health} of 100
      </p>
    </section>
  );
}
