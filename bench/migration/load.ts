import { setTimeout as sleep } from 'node:timers/promises';
import { send } from '../requests.ts';
import { ENVIRONMENT, flag, project } from './data.ts';

export type Sample = { kind: string; at: number; ms: number; status: number };
export type Load = { samples: Sample[]; use: (url: string) => void; stop: () => Promise<void> };

type Request = { method: string; path: string; body?: object };
type Kind = { kind: string; callers: number; next: (n: number) => Request };

/** Leaves the processor idle most of the time, so that a stall is a wait and not a queue for the processor. */
const PAUSE_MS = 25;

const get = (path: string): Request => ({ method: 'GET', path });

const kinds = (flags: number, run: string): Kind[] => {
  const some = (n: number) => (n * 7919) % flags;
  return [
    { kind: 'search events', callers: 2, next: n => get(`search/events?project=IS:${project(n)}&limit=50`) },
    {
      kind: 'search events of a flag',
      callers: 1,
      next: n => get(`search/events?feature=IS:${flag(some(n))}`),
    },
    { kind: 'search flags', callers: 1, next: n => get(`search/features?query=${flag(some(n))}`) },
    { kind: 'read a flag', callers: 1, next: n => get(pathOf(some(n))) },
    {
      kind: 'toggle',
      callers: 2,
      next: n => ({
        method: 'POST',
        path: `${pathOf((n >> 1) % flags)}/environments/${ENVIRONMENT}/${n % 2 === 0 ? 'on' : 'off'}`,
      }),
    },
    {
      kind: 'create',
      callers: 1,
      next: n => ({
        method: 'POST',
        path: `projects/${project(n)}/features`,
        body: { name: `${run}-${n}`, type: 'release' },
      }),
    },
  ];
};

const pathOf = (n: number) => `projects/${project(n)}/features/${flag(n)}`;

/** Callers that send one request after the other, as fast as they get responses, until they are stopped. */
export function startLoad(url: string, token: string, flags: number): Load {
  const samples: Sample[] = [];
  let [target, running] = [url, true];
  const run = `new-${Date.now()}`;
  const callers = kinds(flags, run).flatMap(({ kind, callers: count, next }) =>
    Array.from({ length: count }, async (_, caller) => {
      for (let n = caller * 1_000_003; running; n++) {
        const at = performance.now();
        const { method, path, body } = next(n);
        const { status } = await send(target, method, `/api/admin/${path}`, body, token);
        samples.push({ kind, at, ms: performance.now() - at, status });
        await sleep(PAUSE_MS);
      }
    }),
  );
  return {
    samples,
    use: other => {
      target = other;
    },
    stop: async () => {
      running = false;
      await Promise.all(callers);
    },
  };
}
