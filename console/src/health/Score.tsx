import { Ring } from '../ui/Chart.tsx';
import { Tooltip } from '../ui/Tooltip.tsx';
import s from './health.module.css';
import type { Health } from './queries.ts';
import { getHealthTone } from './tone.ts';
import { computeScoreAfterRepairs, countSnoozed, formatFormula } from './words.ts';

/** Shows the project's score, how it is computed, and what it would be after all repairs. */
export function Score({ health }: { health: Health }) {
  const repairedScore = computeScoreAfterRepairs(health);
  const snoozedCount = countSnoozed(health.rules);
  const repairText =
    snoozedCount === 0
      ? 'after all repairs'
      : `after repairs, ${computeScoreAfterRepairs(health, true)} including the ${snoozedCount === 1 ? 'snoozed one' : `${snoozedCount} snoozed ones`}`;
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
              tone={getHealthTone(health.health)}
              after={repairedScore}
              label={`Health ${health.health} of 100, ${repairedScore} ${repairText}`}
            />
          </div>
        </Tooltip>
        <div>
          <p className={s.after}>
            {repairedScore > health.health || snoozedCount > 0 ? (
              <>
                <b>{repairedScore}</b> {repairText}
              </>
            ) : (
              'Nothing to repair'
            )}
          </p>
          <p className="muted">{formatFormula(health.counts)}</p>
        </div>
      </div>
      <p className="sr" role="status">
        Health {health.health} of 100
      </p>
    </section>
  );
}
