import { Ring } from '../ui/Chart.tsx';
import { Tooltip } from '../ui/Tooltip.tsx';
import s from './health.module.css';
import type { Health } from './queries.ts';
import { healthTone } from './tone.ts';
import { formulaOf, scoreAfter, snoozedOf } from './words.ts';

/** The score of the project, how it is computed, and the score after all repairs. */
export function Score({ health }: { health: Health }) {
  const after = scoreAfter(health);
  const snoozed = snoozedOf(health.rules);
  const words =
    snoozed === 0
      ? 'after all repairs'
      : `after repairs, ${scoreAfter(health, true)} with the ${snoozed === 1 ? 'snoozed one' : `${snoozed} snoozed ones`}`;
  return (
    <section className={s.card} aria-labelledby="score">
      <header>
        <h2 id="score">Score</h2>
      </header>
      <div className={s.score}>
        <Tooltip label={health.formula}>
          <div>
            <Ring
              value={health.health}
              tone={healthTone(health.health)}
              after={after}
              label={`Health ${health.health} of 100, ${after} ${words}`}
            />
          </div>
        </Tooltip>
        <div>
          <p className={s.after}>
            {after > health.health || snoozed > 0 ? (
              <>
                <b>{after}</b> {words}
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
