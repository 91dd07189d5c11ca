import type { Context } from '../../context.ts';
import { data } from '../../requests.ts';

const PAGE = 1000;
const MAX_FLAGS = 100_000;

export type FlagState = 'active' | 'stale' | 'archived';

/** The state of every flag that the caller may see, by name, including archived flags. */
export async function knownFlags(
  context: Context,
  project: string | undefined,
): Promise<Map<string, FlagState>> {
  const states = new Map<string, FlagState>();
  for (const archived of ['IS:true', 'IS:false'] as const) {
    for (let offset = 0; offset < MAX_FLAGS; offset += PAGE) {
      const query = {
        archived,
        sortBy: 'name',
        limit: PAGE,
        offset,
        ...(project && { project: `IS:${project}` }),
      };
      const { features } = await data(context.read.GET('/api/admin/search/features', { params: { query } }));
      for (const { name, stale } of features)
        states.set(name, archived === 'IS:true' ? 'archived' : stale ? 'stale' : 'active');
      if (features.length < PAGE) break;
    }
  }
  return states;
}
