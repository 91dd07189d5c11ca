import { setTimeout as sleep } from 'node:timers/promises';
import { type Loop, startLoop } from '../load.ts';
import { type Response, send } from '../requests.ts';
import { judge } from '../search/judge.ts';
import { conditionOf, pathOf, type Result, readPlain, type Search } from '../search/plain.ts';
import type { Era, FailingDatabase } from './database.ts';

const PAUSE_MS = 200;
const LIMITS = [5, 50, 1_000];
const TEXTS = ['writer-1', 'writer-3-4', 'production', 'v1', '"weight"', 'variable', 'tokenName', 'e'];
const TYPES = [
  'feature-created',
  'feature-strategy-update',
  'feature-environment-enabled',
  'api-token-created',
];

/** What plain SQL finds before and after the response, in one era. The response may come from any era that it overlaps. */
type Candidate = { era: Era; before: Result; after?: Result };
type Pending = { search: Search; candidates: Candidate[] };

export type Searches = {
  loops: Loop[];
  counts: { right: number; failed: number };
};

/** Compares searches with plain SQL, including those that run during a failover. */
export function startSearches(
  server: string,
  database: FailingDatabase,
  count: number,
  random: () => number,
  note: (response: Response) => void,
  onWrong: (problem: string) => void,
): Searches {
  const pending = new Set<Pending>();
  const counts = { right: 0, failed: 0 };

  database.listen({
    closed: async era => {
      for (const { search, candidates } of pending)
        for (const candidate of candidates)
          if (candidate.era === era) candidate.after ??= await read(era, search);
    },
    opening: async era => {
      for (const { search, candidates } of pending) candidates.push({ era, before: await read(era, search) });
    },
  });

  /** Begins a search in the current era. If that is closed, only the next one counts, which `opening` adds. */
  async function begin({ search, candidates }: Pending): Promise<void> {
    const { era } = database;
    if (era.state === 'closed') return;
    const before = await read(era, search).catch(() => undefined);
    if (before && !isClosed(era)) candidates.push({ era, before });
  }

  /** Reads the result after the response in the latest era. If the era ends meanwhile, `closed` reads it. */
  async function complete(one: Pending): Promise<void> {
    for (;;) {
      const last = one.candidates.at(-1);
      if (last === undefined || last.after) return;
      const after = isClosed(last.era) ? undefined : await read(last.era, one.search).catch(() => undefined);
      if (after) last.after ??= after;
      await sleep(20);
    }
  }

  async function searchOnce(): Promise<void> {
    const one: Pending = { search: randomSearch(random), candidates: [] };
    pending.add(one);
    await begin(one);
    const response = await send(server, 'GET', pathOf(one.search));
    note(response);
    await complete(one);
    pending.delete(one);
    if (response.status !== 200) {
      counts.failed++;
      return;
    }
    const { total, events } = JSON.parse(response.text) as { total: number; events: { id: number }[] };
    const actual = { total, ids: events.map(({ id }) => id) };
    const verdicts = one.candidates.map(({ before, after }) =>
      after ? judge(one.search, before, actual, after) : 'the era did not end',
    );
    if (verdicts.some(verdict => verdict === 'equal' || verdict === 'between')) counts.right++;
    else onWrong(`${pathOf(one.search)}: ${verdicts.join('; ') || 'a response without a database'}`);
  }

  const loops = Array.from({ length: count }, () => startLoop(PAUSE_MS, searchOnce));
  return { loops, counts };
}

const isClosed = (era: Era): boolean => era.state === 'closed';

const read = async ({ pool }: Era, search: Search): Promise<Result> =>
  await readPlain(pool, search, conditionOf(search, undefined));

function randomSearch(random: () => number): Search {
  const pick = <T>(values: readonly T[]): T => values[Math.floor(random() * values.length)] as T;
  const search: Search = { limit: pick(LIMITS) };
  if (random() < 0.5) search.query = pick(TEXTS);
  if (random() < 0.3) search.type = [pick(TYPES)];
  if (random() < 0.2) search.feature = [`writer-${Math.floor(random() * 8)}-${Math.floor(random() * 10)}`];
  if (random() < 0.2) search.environment = ['production'];
  if (random() < 0.3) search.offset = Math.floor(random() * 40);
  return search;
}
