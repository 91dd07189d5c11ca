import { setTimeout as sleep } from 'node:timers/promises';
import { type Loop, startLoop } from '../load.ts';
import { type Response, send } from '../requests.ts';
import { judgeResult } from '../search/judge.ts';
import { buildCondition, buildSearchPath, type Result, readPlain, type Search } from '../search/plain.ts';
import type { Era, FailingDatabase } from './database.ts';

const PAUSE_MS = 200;
const LIMITS = [5, 50, 1_000];
const QUERIES = ['writer-1', 'writer-3-4', 'production', 'v1', '"weight"', 'variable', 'tokenName', 'e'];
const TYPES = [
  'feature-created',
  'feature-strategy-update',
  'feature-environment-enabled',
  'api-token-created',
];

/** The results of plain SQL before and after a request, in one era. A response may come from any era that its request overlaps. */
type Candidate = { era: Era; resultBefore: Result; resultAfter?: Result };
type PendingSearch = { search: Search; candidates: Candidate[] };

export type Searches = {
  loops: Loop[];
  counts: { correct: number; failed: number };
};

/** Compares searches with plain SQL, including those that run during a failover. */
export function startSearches(
  server: string,
  database: FailingDatabase,
  count: number,
  random: () => number,
  recordIfFailed: (response: Response) => void,
  onWrongResult: (problem: string) => void,
): Searches {
  const pendingSearches = new Set<PendingSearch>();
  const counts = { correct: 0, failed: 0 };

  database.listen({
    onClosed: async era => {
      for (const { search, candidates } of pendingSearches)
        for (const candidate of candidates)
          if (candidate.era === era) candidate.resultAfter ??= await readResult(era, search);
    },
    onOpening: async era => {
      for (const { search, candidates } of pendingSearches)
        candidates.push({ era, resultBefore: await readResult(era, search) });
    },
  });

  /** Adds the current era as a candidate. If it is already closed, `onOpening` adds the next era instead. */
  async function startSearch({ search, candidates }: PendingSearch): Promise<void> {
    const { era } = database;
    if (era.state === 'closed') return;
    const resultBefore = await readResult(era, search).catch(() => undefined);
    if (resultBefore && !isClosed(era)) candidates.push({ era, resultBefore });
  }

  /** Reads the result after the response from the latest era, unless the era ends first and `onClosed` reads the result. */
  async function complete({ search, candidates }: PendingSearch): Promise<void> {
    for (;;) {
      const latest = candidates.at(-1);
      if (latest === undefined || latest.resultAfter) return;
      const result = isClosed(latest.era)
        ? undefined
        : await readResult(latest.era, search).catch(() => undefined);
      if (result) latest.resultAfter ??= result;
      await sleep(20);
    }
  }

  async function searchOnce(): Promise<void> {
    const pendingSearch: PendingSearch = { search: randomSearch(random), candidates: [] };
    pendingSearches.add(pendingSearch);
    await startSearch(pendingSearch);
    const response = await send(server, 'GET', buildSearchPath(pendingSearch.search));
    recordIfFailed(response);
    await complete(pendingSearch);
    pendingSearches.delete(pendingSearch);
    if (response.status !== 200) {
      counts.failed++;
      return;
    }
    const { total, events } = JSON.parse(response.text) as { total: number; events: { id: number }[] };
    const actual = { total, ids: events.map(({ id }) => id) };
    const verdicts = pendingSearch.candidates.map(({ resultBefore, resultAfter }) =>
      resultAfter
        ? judgeResult(pendingSearch.search, resultBefore, actual, resultAfter)
        : 'the era did not end',
    );
    if (verdicts.some(verdict => verdict === 'equal' || verdict === 'between')) counts.correct++;
    else
      onWrongResult(
        `${buildSearchPath(pendingSearch.search)}: ${verdicts.join('; ') || 'got a response while no database was reachable'}`,
      );
  }

  const loops = Array.from({ length: count }, () => startLoop(PAUSE_MS, searchOnce));
  return { loops, counts };
}

const isClosed = (era: Era): boolean => era.state === 'closed';

const readResult = async ({ pool }: Era, search: Search): Promise<Result> =>
  await readPlain(pool, search, buildCondition(search, undefined));

function randomSearch(random: () => number): Search {
  const pick = <T>(values: readonly T[]): T => values[Math.floor(random() * values.length)] as T;
  const search: Search = { limit: pick(LIMITS) };
  if (random() < 0.5) search.query = pick(QUERIES);
  if (random() < 0.3) search.type = [pick(TYPES)];
  if (random() < 0.2) search.feature = [`writer-${Math.floor(random() * 8)}-${Math.floor(random() * 10)}`];
  if (random() < 0.2) search.environment = ['production'];
  if (random() < 0.3) search.offset = Math.floor(random() * 40);
  return search;
}
