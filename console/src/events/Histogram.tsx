import { useQuery } from '@tanstack/react-query';
import { Bars } from '../ui/Chart.tsx';
import type { Search } from '../ui/search.ts';
import { formatCount } from '../ui/words.ts';
import { chooseDayRange, createBars, filterForDays, formatShortDay, formatTicks } from './days.ts';
import s from './events.module.css';
import { countsQuery } from './queries.ts';

/** Shows events per UTC day. Clicking a day or dragging over several days filters by them. Keyboard users choose one day from a list. */
export function Histogram({ filters, onRange }: { filters: Search; onRange(change: Search): void }) {
  const { from: fromFilter, to: toFilter, ...otherFilters } = filters;
  const range = { from: parseDay(fromFilter), to: parseDay(toFilter) };
  const { from, to, today } = chooseDayRange(range);
  const counts = useQuery(countsQuery(otherFilters, from, to));
  const bars = createBars(from, to, counts.data?.groups ?? []);
  const busiest = bars.reduce(
    (a, b) => (b.value > a.value ? b : a),
    bars[0] ?? { key: to, label: '', value: 0 },
  );
  const isFiltered = range.from !== undefined || range.to !== undefined;
  const chooseDays = (first: string, last: string) => onRange(filterForDays(first, last, today));
  return (
    <div className={s.histogram}>
      <Bars
        bars={bars}
        summary={`Events per day (UTC) from ${formatShortDay(from)} to ${formatShortDay(to)}; most on ${busiest.label}`}
        ticks={formatTicks(from, to, today)}
        isOn={day =>
          isFiltered &&
          (range.from === undefined || day >= range.from) &&
          (range.to === undefined || day <= range.to)
        }
        onRange={chooseDays}
      />
      <details className={s.days}>
        <summary>Choose a day (UTC) from a list</summary>
        <ul>
          {bars.toReversed().map(({ key, value }) => (
            <li key={key}>
              <button type="button" onClick={() => chooseDays(key, key)}>
                {formatShortDay(key)} <span>{formatCount(value, 'event')}</span>
              </button>
            </li>
          ))}
        </ul>
      </details>
    </div>
  );
}

const parseDay = (filter: Search[string]): string | undefined =>
  typeof filter === 'string' ? /^IS:(\d{4}-\d{2}-\d{2})$/.exec(filter)?.[1] : undefined;
