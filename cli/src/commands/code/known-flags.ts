import type { Context } from '../../context.ts';
import { getData } from '../../requests.ts';

const PAGE_SIZE = 1000;
const MAX_FLAGS = 100_000;

export type FlagState = 'active' | 'stale' | 'archived';

/** Reads the state of every flag that the caller can see, including archived flags, by name. */
export async function readFlagStates(
  context: Context,
  project: string | undefined,
): Promise<Map<string, FlagState>> {
  const states = new Map<string, FlagState>();
  for (const archived of ['IS:true', 'IS:false'] as const) {
    for (let offset = 0; offset < MAX_FLAGS; offset += PAGE_SIZE) {
      const query = {
        archived,
        sortBy: 'name',
        limit: PAGE_SIZE,
        offset,
        ...(project && { project: `IS:${project}` }),
      };
      const { features } = await getData(
        context.read.GET('/api/admin/search/features', { params: { query } }),
      );
      for (const { name, stale } of features)
        states.set(name, archived === 'IS:true' ? 'archived' : stale ? 'stale' : 'active');
      if (features.length < PAGE_SIZE) break;
    }
  }
  return states;
}
