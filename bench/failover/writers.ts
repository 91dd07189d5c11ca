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
  written: () => number;
};

/**
 * Each writer changes its own flags. A change gives a flag a variant with a new name, toggles the flag, or deletes it, so that a
 * flag that reappears after a loss differs from the lost one. A writer does not know what was lost, so it recreates missing
 * flags.
 */
export function startWriters(
  server: string,
  count: number,
  random: () => number,
  note: (response: Response) => void,
): Writers {
  const names = new Set<string>();
  let written = 0;

  const write = async (method: string, path: string, body?: object): Promise<number> => {
    const response = await send(server, method, path, body);
    note(response);
    if (response.status >= 200 && response.status < 300) written++;
    return response.status;
  };

  async function changeFlag(writer: number): Promise<void> {
    const name = `writer-${writer}-${Math.floor(random() * FLAGS)}`;
    const here = `${PROJECT}/${name}/environments/${ENVIRONMENT}`;
    const variant = {
      name: `v${written}-${Math.floor(random() * 1e6)}`,
      weight: 1_000,
      stickiness: 'default',
    };
    const strategy = { name: 'default', variants: [{ ...variant, weightType: 'variable' }] };
    names.add(name);
    const found = await send(server, 'GET', `${here}/strategies`);
    note(found);
    if (found.status === 404) {
      const created = await write('POST', PROJECT, { name, description: `Flag of writer ${writer}` });
      // It was archived, and the connection was cut before it was deleted.
      if (created === 409) await write('DELETE', `/api/admin/archive/${name}`);
      await write('POST', `${here}/strategies`, strategy);
      await write('POST', `${here}/on`);
    } else if (found.status === 200) {
      const [first] = JSON.parse(found.text) as { id: string }[];
      const chance = random();
      if (chance < 0.15) await write('POST', `${here}/${random() < 0.3 ? 'off' : 'on'}`);
      else if (chance < 0.25) await remove(name);
      else if (first === undefined) await write('POST', `${here}/strategies`, strategy);
      else await write('PUT', `${here}/strategies/${first.id}`, strategy);
    }
  }

  async function remove(name: string): Promise<void> {
    await write('DELETE', `${PROJECT}/${name}`);
    await write('DELETE', `/api/admin/archive/${name}`);
  }

  const loops = Array.from({ length: count }, (_, writer) => startLoop(PAUSE_MS, () => changeFlag(writer)));
  return { loops, names, written: () => written };
}
