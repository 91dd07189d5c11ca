/** Kinds with many rows, and the tables that their counts come from. */
const COUNTED = {
  features: 'features',
  'API tokens': 'api_tokens',
  users: 'users',
  events: 'events',
} as const;

const LINE_EVERY_MS = 10_000;
const REDRAW_EVERY_MS = 200;

type Progress = { onProgress: (kind: string, items: number) => void; clear: () => void };

/** Rate and remaining time of the kind that is being imported: one line that changes on a terminal, a line now and then otherwise. */
export async function makeProgress(count: (table: string) => Promise<number>): Promise<Progress> {
  const isTerminal = process.stderr.isTTY;
  const totals = new Map<string, number>();
  for (const [kind, table] of Object.entries(COUNTED)) totals.set(kind, await count(table));
  let current = { kind: '', done: 0, started: 0 };
  let shown = performance.now();
  return {
    onProgress: (kind, items) => {
      const now = performance.now();
      if (kind !== current.kind) current = { kind, done: 0, started: now };
      current.done += items;
      if (now - shown < (isTerminal ? REDRAW_EVERY_MS : LINE_EVERY_MS)) return;
      shown = now;
      const line = describe(kind, current.done, totals.get(kind), (now - current.started) / 1000);
      process.stderr.write(isTerminal ? `\r\x1b[K${line}` : `${line}\n`);
    },
    clear: () => {
      if (isTerminal) process.stderr.write('\r\x1b[K');
    },
  };
}

/** `features: 1,200 of 5,000, 850/s, 5 s left` */
export function describe(kind: string, done: number, total: number | undefined, seconds: number): string {
  const rate = seconds > 0 ? done / seconds : 0;
  const of = total === undefined ? '' : ` of ${Math.max(total, done).toLocaleString('en')}`;
  const left =
    total === undefined || rate === 0 ? '' : `, ${Math.ceil(Math.max(0, total - done) / rate)} s left`;
  return `${kind}: ${done.toLocaleString('en')}${of}, ${Math.round(rate).toLocaleString('en')}/s${left}`;
}
