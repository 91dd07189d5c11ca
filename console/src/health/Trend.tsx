import { useQuery } from '@tanstack/react-query';
import { Area } from '../ui/Chart.tsx';
import { Failure } from '../ui/Failure.tsx';
import { Skeleton } from '../ui/Skeleton.tsx';
import { formatDate } from '../ui/time.ts';
import { useFilters } from '../ui/useFilters.ts';
import s from './health.module.css';
import { type HealthDay, historyQuery } from './queries.ts';

const RANGES = [30, 90, 366] as const;

/** Shows the health over time as a chart or a table. */
export function Trend({ projectId }: { projectId: string }) {
  const { search, replace } = useFilters();
  const range = RANGES.find(days => String(days) === search.days) ?? RANGES[0];
  const { data, error, refetch } = useQuery(historyQuery(projectId, range));
  const isTable = search.trend === 'table';
  return (
    <section className={s.card} aria-labelledby="trend">
      <header>
        <h2 id="trend">Trend</h2>
        <fieldset className={s.choice} aria-label="Range">
          {RANGES.map(days => (
            <button
              key={days}
              type="button"
              aria-pressed={days === range}
              onClick={() => replace({ days: days === RANGES[0] ? undefined : String(days) })}
            >
              {days} days
            </button>
          ))}
        </fieldset>
        <button
          type="button"
          className={s.link}
          onClick={() => replace({ trend: isTable ? undefined : 'table' })}
        >
          {isTable ? 'Show chart' : 'Show table'}
        </button>
      </header>
      {error && <Failure error={error} onRetry={() => void refetch()} />}
      {!data && !error && <Skeleton rows={3} />}
      {data && (isTable ? <Days days={data.days} /> : <Line days={data.days} />)}
    </section>
  );
}

function Line({ days }: { days: readonly HealthDay[] }) {
  const [firstDay, lastDay] = [days[0], days.at(-1)];
  if (!firstDay || !lastDay) return null;
  return (
    <Area
      points={days.map(day => ({
        key: day.date,
        label: `${formatDate(day.date)}: ${day.health}`,
        value: day.health,
      }))}
      summary={`Health from ${firstDay.health} on ${formatDate(firstDay.date)} to ${lastDay.health} on ${formatDate(lastDay.date)}`}
      ticks={[`${formatDate(firstDay.date)}: ${firstDay.health}`, `Today: ${lastDay.health}`]}
    />
  );
}

function Days({ days }: { days: readonly HealthDay[] }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must be reachable by keyboard
    <section className={s.days} tabIndex={0} aria-label="Health by day">
      <table>
        <thead>
          <tr>
            <th scope="col">Day</th>
            <th scope="col">Health</th>
            <th scope="col">Flags</th>
            <th scope="col">Stale</th>
            <th scope="col">Potentially stale</th>
          </tr>
        </thead>
        <tbody>
          {days.toReversed().map(day => (
            <tr key={day.date}>
              <th scope="row">{formatDate(day.date)}</th>
              <td>{day.health}</td>
              <td>{day.features}</td>
              <td>{day.stale}</td>
              <td>{day.potentiallyStale}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
