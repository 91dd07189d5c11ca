import { useQuery } from '@tanstack/react-query';
import { Bars } from '../ui/Chart.tsx';
import type { Search } from '../ui/search.ts';
import { counted } from '../ui/words.ts';
import { barsOf, rangeOf, shortDay, ticksOf, windowOf } from './days.ts';
import s from './events.module.css';
import { countsQuery } from './queries.ts';

/** Events per UTC day. Dragging over days or clicking one filters by them; the list of days does the same by keyboard. */
export function Histogram({ filters, onRange }: { filters: Search; onRange(change: Search): void }) {
  const { from: since, to: until, ...others } = filters;
  const range = { from: dayIn(since), to: dayIn(until) };
  const { from, to, today } = windowOf(range);
  const counts = useQuery(countsQuery(others, from, to));
  const bars = barsOf(from, to, counts.data?.groups ?? []);
  const most = bars.reduce(
    (a, b) => (b.value > a.value ? b : a),
    bars[0] ?? { key: to, label: '', value: 0 },
  );
  const isFiltered = range.from !== undefined || range.to !== undefined;
  const choose = (first: string, last: string) => onRange(rangeOf(first, last, today));
  return (
    <div className={s.histogram}>
      <Bars
        bars={bars}
        summary={`Events per day (UTC) from ${shortDay(from)} to ${shortDay(to)}; most on ${most.label}`}
        ticks={ticksOf(from, to, today)}
        isOn={day =>
          isFiltered &&
          (range.from === undefined || day >= range.from) &&
          (range.to === undefined || day <= range.to)
        }
        onRange={choose}
      />
      <details className={s.days}>
        <summary>Choose a day (UTC) from a list</summary>
        <ul>
          {bars.toReversed().map(({ key, value }) => (
            <li key={key}>
              <button type="button" onClick={() => choose(key, key)}>
                {shortDay(key)} <span>{counted(value, 'event')}</span>
              </button>
            </li>
          ))}
        </ul>
      </details>
    </div>
  );
}

const dayIn = (filter: Search[string]): string | undefined =>
  typeof filter === 'string' ? /^IS:(\d{4}-\d{2}-\d{2})$/.exec(filter)?.[1] : undefined;
