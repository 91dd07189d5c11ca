import { type Loop, startLoop } from '../load.ts';
import { type Response, send } from '../requests.ts';

export const ENVIRONMENT = 'production';
const PROJECT = '/api/admin/projects/default/features';
const FLAGS = 10;
const PAUSE_MS = 250;

export type Writers = {
  loops: Loop[];
  /** Every flag that was ever created, including those that were lost. */
  names: ReadonlySet<string>;
  /** The number of changes that succeeded. */
  changes: () => number;
};

/**
 * Starts writers, each with its own flags. A change gives a flag a variant with a new name, toggles the flag, or deletes it, so that
 * a flag that reappears after a loss differs from the lost flag. A writer does not know what was lost, so it recreates missing
 * flags.
 */
export function startWriters(
  server: string,
  count: number,
  random: () => number,
  recordIfFailed: (response: Response) => void,
): Writers {
  const names = new Set<string>();
  let changes = 0;

  const write = async (method: string, path: string, body?: object): Promise<number> => {
    const response = await send(server, method, path, body);
    recordIfFailed(response);
    if (response.status >= 200 && response.status < 300) changes++;
    return response.status;
  };

  async function changeFlag(writer: number): Promise<void> {
    const name = `writer-${writer}-${Math.floor(random() * FLAGS)}`;
    const environmentPath = `${PROJECT}/${name}/environments/${ENVIRONMENT}`;
    const variant = {
      name: `v${changes}-${Math.floor(random() * 1e6)}`,
      weight: 1_000,
      stickiness: 'default',
    };
    const strategy = { name: 'default', variants: [{ ...variant, weightType: 'variable' }] };
    names.add(name);
    const response = await send(server, 'GET', `${environmentPath}/strategies`);
    recordIfFailed(response);
    if (response.status === 404) {
      const createStatus = await write('POST', PROJECT, { name, description: `Flag of writer ${writer}` });
      // An earlier attempt archived the flag, but the connection broke before it could delete the flag.
      if (createStatus === 409) await write('DELETE', `/api/admin/archive/${name}`);
      await write('POST', `${environmentPath}/strategies`, strategy);
      await write('POST', `${environmentPath}/on`);
    } else if (response.status === 200) {
      const [oldStrategy] = JSON.parse(response.text) as { id: string }[];
      const chance = random();
      if (chance < 0.15) await write('POST', `${environmentPath}/${random() < 0.3 ? 'off' : 'on'}`);
      else if (chance < 0.25) await remove(name);
      else if (oldStrategy === undefined) await write('POST', `${environmentPath}/strategies`, strategy);
      else await write('PUT', `${environmentPath}/strategies/${oldStrategy.id}`, strategy);
    }
  }

  async function remove(name: string): Promise<void> {
    await write('DELETE', `${PROJECT}/${name}`);
    await write('DELETE', `/api/admin/archive/${name}`);
  }

  const loops = Array.from({ length: count }, (_, writer) => startLoop(PAUSE_MS, () => changeFlag(writer)));
  return { loops, names, changes: () => changes };
}
