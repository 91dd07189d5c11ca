import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { percentile } from '../measure.ts';
import { type Response, send } from '../requests.ts';
import { ADMIN_TOKEN } from '../server.ts';
import { ENVIRONMENT, FLAGS, flag, flagsFrom, PROJECTS } from './data.ts';

type Kind = {
  name: string;
  /** How many callers of this kind there are, and how long each pauses between two requests. */
  callers: number;
  pauseMs: number;
  run: (server: string, random: () => number) => Promise<Response>;
  /** Statuses that are correct for this kind while the database is up. */
  expected: number[];
  /** The response is sent while it is read, so a fault can only cut it off. */
  streamed?: boolean;
};

export type LoadOutcome = {
  requests: Record<string, Record<string, number>>;
  duringFaults: Record<string, number>;
  /** Streamed responses that were cut off when the database became unreachable. */
  cutOff: number;
  latencyMs: Record<string, { p50: number; p95: number; longest: number }>;
  problems: string[];
};

export type Load = {
  summary: () => string;
  databaseGoesAway: () => void;
  /** Waits until every kind of request succeeded again; returns how long that took. */
  databaseIsBack: (withinMs: number) => Promise<number>;
  stop: () => Promise<LoadOutcome>;
};

const pick = <T>(items: readonly T[], random: () => number): T =>
  items[Math.floor(random() * items.length)] as T;
const someFlag = (random: () => number) => {
  const project = pick(PROJECTS, random);
  return { project, name: flag(project, Math.floor(random() * FLAGS)) };
};
const searches = [
  () => '',
  () => '?limit=200&offset=400',
  (random: () => number) => `?project=IS:${pick(PROJECTS, random)}`,
  () => '?type=IS_ANY_OF:feature-created,feature-updated',
  (random: () => number) => `?query=flag-${Math.floor(random() * FLAGS)}`,
  (random: () => number) => `?feature=IS:${someFlag(random).name}`,
];
let clones = 0;
const existing: { project: string; name: string }[] = [];

const admin = (server: string, method: string, path: string, body?: object) =>
  send(server, method, `/api/admin/${path}`, body);

const KINDS: Kind[] = [
  {
    ...{ name: 'search', callers: 4, pauseMs: 200, expected: [200] },
    run: (server, random) => admin(server, 'GET', `search/events${pick(searches, random)(random)}`),
  },
  {
    ...{ name: 'toggle', callers: 4, pauseMs: 200, expected: [200, 409] },
    run: (server, random) => {
      const { project, name } = someFlag(random);
      const path = `projects/${project}/features/${name}/environments/${ENVIRONMENT}`;
      return admin(server, 'POST', `${path}/${random() < 0.5 ? 'on' : 'off'}`, {});
    },
  },
  {
    ...{ name: 'clone', callers: 2, pauseMs: 1_000, expected: [200, 409] },
    run: async (server, random) => {
      const { project, name } = someFlag(random);
      const copy = `${project}.clone-${++clones}`;
      const response = await admin(server, 'POST', `projects/${project}/features/${name}/clone`, {
        name: copy,
      });
      if (response.status === 200) existing.push({ project, name: copy });
      return response;
    },
  },
  {
    // Clones are archived and deleted again, so that responses do not grow with the run.
    ...{ name: 'remove clones', callers: 2, pauseMs: 500, expected: [200, 202, 404] },
    run: async server => {
      const { project, name } = existing.shift() ?? { project: PROJECTS[0], name: 'none' };
      const archived = await admin(server, 'DELETE', `projects/${project}/features/${name}`);
      const isArchived = archived.status >= 200 && archived.status < 300;
      return isArchived ? await admin(server, 'DELETE', `archive/${name}`) : archived;
    },
  },
  {
    ...{ name: 'import', callers: 1, pauseMs: 10_000, expected: [200, 409] },
    run: (server, random) => {
      const flags = flagsFrom(pick(PROJECTS, random), Math.floor(random() * (FLAGS - 50)), 50);
      return admin(server, 'POST', 'features-batch/import', flags);
    },
  },
  {
    ...{ name: 'report', streamed: true, callers: 2, pauseMs: 2_000, expected: [200] },
    run: (server, random) => admin(server, 'GET', `projects/${pick(PROJECTS, random)}/health-report`),
  },
  {
    ...{ name: 'list', streamed: true, callers: 1, pauseMs: 2_000, expected: [200] },
    run: (server, random) => admin(server, 'GET', `projects/${pick(PROJECTS, random)}/features`),
  },
  {
    ...{ name: 'project update', callers: 1, pauseMs: 20_000, expected: [200] },
    run: (server, random) => {
      const name = pick(PROJECTS, random);
      return admin(server, 'PUT', `projects/${name}`, { name, description: `Updated at ${Date.now()}` });
    },
  },
];

const PAUSED_READERS = 4;
const PAUSED_FOR_MS = 20_000;
const PAUSED_AGAIN_AFTER_MS = 5_000;
/** A request that was in flight when a fault ended may still report it. */
const SLOWEST_MS = 60_000;

/** Callers of every kind on all servers, until stopped. */
export function startLoad(urls: string[], random: () => number): Load {
  const requests: LoadOutcome['requests'] = {};
  const duringFaults: Record<string, number> = {};
  const latencies = new Map<string, number[]>();
  const problems: string[] = [];
  let cutOff = 0;
  let stopped = false;
  let away = false;
  /** Kinds of requests without a success since the fault ended. */
  const toRecover = new Set<string>();

  const problem = (text: string) => {
    if (problems.length < 1_000) problems.push(`${new Date().toISOString().slice(11, 23)} ${text}`);
  };

  async function caller(kind: Kind): Promise<void> {
    await sleep(random() * kind.pauseMs);
    while (!stopped) {
      const faultAtStart = away || toRecover.size > 0;
      const started = performance.now();
      const response = await kind.run(pick(urls, random), random);
      note(kind, response, faultAtStart || away || toRecover.size > 0, performance.now() - started);
      await sleep(kind.pauseMs * (0.5 + random()));
    }
  }

  function note(kind: Kind, response: Response, fault: boolean, ms: number): void {
    const { error } = response;
    const status = error ? `no response (${error.name})` : String(response.status);
    const counted = requests[kind.name] ?? {};
    requests[kind.name] = counted;
    counted[status] = (counted[status] ?? 0) + 1;
    const good = kind.expected.includes(response.status);
    if (good && !away) toRecover.delete(kind.name);
    if (fault) {
      duringFaults[status] = (duringFaults[status] ?? 0) + 1;
      const unavailable = response.status === 503 && response.retryAfter !== null;
      if (kind.streamed && error?.message === 'terminated') cutOff++;
      else if (!good && !unavailable) problem(`${kind.name} during a fault: ${describe(response)}`);
      return;
    }
    if (!good) problem(`${kind.name}: ${describe(response)} after ${Math.round(ms)} ms`);
    const times = latencies.get(kind.name) ?? [];
    latencies.set(kind.name, times);
    times.push(ms);
  }

  /** Requests a report and does not read it, like a laptop that was closed. */
  async function pausedReader(): Promise<void> {
    while (!stopped) {
      const url = new URL(pick(urls, random));
      const socket = connect(Number(url.port), url.hostname);
      socket.on('error', () => {});
      socket.pause();
      socket.write(
        `GET /api/admin/projects/${pick(PROJECTS, random)}/health-report HTTP/1.1\r\nHost: soak\r\nAuthorization: ${ADMIN_TOKEN}\r\n\r\n`,
      );
      for (let waited = 0; waited < PAUSED_FOR_MS && !stopped; waited += 500) await sleep(500);
      socket.destroy();
      await sleep(PAUSED_AGAIN_AFTER_MS);
    }
  }

  const running = [
    ...KINDS.flatMap(kind => Array.from({ length: kind.callers }, () => caller(kind))),
    ...Array.from({ length: PAUSED_READERS }, pausedReader),
  ];

  return {
    summary: () =>
      `${Object.values(requests)
        .flatMap(counted => Object.values(counted))
        .reduce((sum, count) => sum + count, 0)} requests, ${problems.length} problems`,
    databaseGoesAway: () => {
      away = true;
    },
    databaseIsBack: async withinMs => {
      const started = performance.now();
      for (const kind of KINDS) if (kind.pauseMs < withinMs / 4) toRecover.add(kind.name);
      away = false;
      while (toRecover.size > 0 && performance.now() - started < withinMs) await sleep(50);
      toRecover.clear();
      return performance.now() - started;
    },
    stop: async () => {
      stopped = true;
      await Promise.race([Promise.all(running), sleep(SLOWEST_MS)]);
      const latencyMs = Object.fromEntries(
        [...latencies].map(([name, times]) => [
          name,
          {
            p50: Math.round(percentile(times, 0.5)),
            p95: Math.round(percentile(times, 0.95)),
            longest: Math.round(Math.max(...times)),
          },
        ]),
      );
      return { requests, duringFaults, cutOff, latencyMs, problems };
    },
  };
}

const describe = ({ status, text, retryAfter, error }: Response): string =>
  error
    ? `${error.name}: ${error.message} ${String((error.cause as Error | undefined)?.message ?? '')}`
    : `${status} ${text.slice(0, 200)}${retryAfter === null ? '' : ' (Retry-After)'}`;
