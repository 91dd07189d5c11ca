/** The kinds with many rows, and the tables in which the rows are counted. */
const COUNTED_TABLES = {
  features: 'features',
  'API tokens': 'api_tokens',
  users: 'users',
  events: 'events',
} as const;

const LINE_EVERY_MS = 10_000;
const REDRAW_EVERY_MS = 200;

type Progress = { onProgress: (kind: string, items: number) => void; clear: () => void };

/**
 * Shows the rate and the remaining time for the kind that is being imported. In a terminal, it updates a single line. Otherwise, it
 * prints a new line from time to time.
 */
export async function makeProgress(count: (table: string) => Promise<number>): Promise<Progress> {
  const isTerminal = process.stderr.isTTY;
  const totals = new Map<string, number>();
  for (const [kind, table] of Object.entries(COUNTED_TABLES)) totals.set(kind, await count(table));
  let current = { kind: '', done: 0, startedAt: 0 };
  let shownAt = performance.now();
  return {
    onProgress: (kind, items) => {
      const now = performance.now();
      if (kind !== current.kind) current = { kind, done: 0, startedAt: now };
      current.done += items;
      if (now - shownAt < (isTerminal ? REDRAW_EVERY_MS : LINE_EVERY_MS)) return;
      shownAt = now;
      const line = describeProgress(kind, current.done, totals.get(kind), (now - current.startedAt) / 1000);
      process.stderr.write(isTerminal ? `\r\x1b[K${line}` : `${line}\n`);
    },
    clear: () => {
      if (isTerminal) process.stderr.write('\r\x1b[K');
    },
  };
}

/** Returns a line such as `features: 1,200 of 5,000, 850/s, 5 s left`. */
export function describeProgress(
  kind: string,
  items: number,
  total: number | undefined,
  seconds: number,
): string {
  const rate = seconds > 0 ? items / seconds : 0;
  const totalText = total === undefined ? '' : ` of ${Math.max(total, items).toLocaleString('en')}`;
  const remainingText =
    total === undefined || rate === 0 ? '' : `, ${Math.ceil(Math.max(0, total - items) / rate)} s left`;
  return `${kind}: ${items.toLocaleString('en')}${totalText}, ${Math.round(rate).toLocaleString('en')}/s${remainingText}`;
}
