import { type Kind, type Sample, startCallers } from '../load.ts';
import { send } from '../requests.ts';
import { ENVIRONMENT, flag, project } from './data.ts';

export type Load = { samples: Sample[]; use: (url: string) => void; stop: () => Promise<void> };

/** Leaves the processor idle most of the time, so that a stall is a wait and not a queue for the processor. */
const PAUSE_MS = 25;

/** Callers that send one request after the other until they are stopped. */
export function startLoad(url: string, token: string, flags: number): Load {
  const samples: Sample[] = [];
  let target = url;
  const run = `new-${Date.now()}`;
  const some = (n: number) => (n * 7_919) % flags;
  const pathOf = (n: number) => `projects/${project(n)}/features/${flag(n)}`;
  const toggle = (n: number) =>
    `${pathOf((n >> 1) % flags)}/environments/${ENVIRONMENT}/${n % 2 === 0 ? 'on' : 'off'}`;
  const kind = (
    name: string,
    callers: number,
    method: string,
    pathOfRequest: (n: number) => string,
    body?: (n: number) => object,
  ): Kind => ({
    ...{ name, callers, pauseMs: PAUSE_MS, expected: [200, 201] },
    send: (count, caller) => {
      const n = caller * 1_000_003 + count;
      return send(target, method, `/api/admin/${pathOfRequest(n)}`, body?.(n), token);
    },
  });
  const stop = startCallers(
    [
      kind('search events', 2, 'GET', n => `search/events?project=IS:${project(n)}&limit=50`),
      kind('search events of a flag', 1, 'GET', n => `search/events?feature=IS:${flag(some(n))}`),
      kind('search flags', 1, 'GET', n => `search/features?query=${flag(some(n))}`),
      kind('read a flag', 1, 'GET', n => pathOf(some(n))),
      kind('toggle', 2, 'POST', toggle),
      kind(
        'create',
        1,
        'POST',
        n => `projects/${project(n)}/features`,
        n => ({ name: `${run}-${n}` }),
      ),
    ],
    sample => samples.push(sample),
  );
  return {
    samples,
    use: other => {
      target = other;
    },
    stop,
  };
}
