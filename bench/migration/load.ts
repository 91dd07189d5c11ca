import { type Kind, type Sample, startCallers } from '../load.ts';
import { send } from '../requests.ts';
import { ENVIRONMENT, getFlagName, getProjectName } from './data.ts';

export type Load = { samples: Sample[]; moveTo: (url: string) => void; stop: () => Promise<void> };

/** Long enough to leave the processor mostly idle, so that a stall means waiting for a lock rather than for the processor. */
const PAUSE_MS = 25;

/** Starts callers, each of which sends one request at a time until it is stopped. */
export function startLoad(url: string, token: string, flags: number): Load {
  const samples: Sample[] = [];
  let target = url;
  const runName = `new-${Date.now()}`;
  const pickFlag = (n: number) => (n * 7_919) % flags;
  const flagPath = (n: number) => `projects/${getProjectName(n)}/features/${getFlagName(n)}`;
  const togglePath = (n: number) =>
    `${flagPath((n >> 1) % flags)}/environments/${ENVIRONMENT}/${n % 2 === 0 ? 'on' : 'off'}`;
  const kind = (
    name: string,
    callers: number,
    method: string,
    makePath: (n: number) => string,
    makeBody?: (n: number) => object,
  ): Kind => ({
    ...{ name, callers, pauseMs: PAUSE_MS, expected: [200, 201] },
    send: (count, caller) => {
      const n = caller * 1_000_003 + count;
      return send(target, method, `/api/admin/${makePath(n)}`, makeBody?.(n), token);
    },
  });
  const stop = startCallers(
    [
      kind('search events', 2, 'GET', n => `search/events?project=IS:${getProjectName(n)}&limit=50`),
      kind('search events of a flag', 1, 'GET', n => `search/events?feature=IS:${getFlagName(pickFlag(n))}`),
      kind('search flags', 1, 'GET', n => `search/features?query=${getFlagName(pickFlag(n))}`),
      kind('read a flag', 1, 'GET', n => flagPath(pickFlag(n))),
      kind('toggle', 2, 'POST', togglePath),
      kind(
        'create',
        1,
        'POST',
        n => `projects/${getProjectName(n)}/features`,
        n => ({ name: `${runName}-${n}` }),
      ),
    ],
    sample => samples.push(sample),
  );
  return {
    samples,
    moveTo: newUrl => {
      target = newUrl;
    },
    stop,
  };
}
