import { sql } from 'kysely';
import { parseList, readBatches, readRows, toText } from '../source/source.ts';
import { readProjectsByFeature } from './features.ts';
import type { Item, Kind } from './kind.ts';
import { acceptableProblem, rejectedProblem, toJsonRows } from './vocabulary.ts';

type Dependency = { project: string; child: string; parent: string; enabled: boolean; variants: string[] };

const COLUMNS = ['child', 'parent', 'enabled', 'variants'];
const toKey = ({ child, parent }: Pick<Dependency, 'child' | 'parent'>): string => `${child} → ${parent}`;

/** Imported after all features, because a parent can come after its child. */
export const DEPENDENCIES: Kind<Dependency> = {
  name: 'dependencies',
  async *read({ source, isRejected }) {
    for await (const rows of readBatches(source, {
      table: 'dependent_features',
      columns: COLUMNS,
      orderBy: 'child, parent',
    })) {
      const parents = rows.map(row => toText(row.parent));
      const rowsWithParents = await readRows(source, {
        table: 'dependent_features',
        columns: ['child'],
        orderBy: 'child',
        where: { sql: 'child = any($1)', values: [parents] },
      });
      const children = rows.map(row => toText(row.child));
      const projectByFeature = await readProjectsByFeature(source, children);
      const childNames = new Set(rowsWithParents.map(row => toText(row.child)));
      yield rows.map((row): Item<Dependency> => {
        const [child, parent] = [toText(row.child), toText(row.parent)];
        const rejectedNames = [child, parent].filter(name => isRejected('features', name));
        return {
          key: toKey({ child, parent }),
          state: {
            project: projectByFeature.get(child) ?? 'default',
            child,
            parent,
            enabled: row.enabled !== false,
            variants: parseList(row.variants).map(toText),
          },
          problems: [
            ...rejectedNames.map(name => rejectedProblem(`"${name}" was not imported`)),
            ...(child === parent ? [rejectedProblem('a flag cannot depend on itself')] : []),
            ...(childNames.has(parent)
              ? [
                  acceptableProblem(
                    `its parent "${parent}" has a parent too, and Halyard supports only one level of dependencies`,
                  ),
                ]
              : []),
          ],
        };
      });
    }
  },
  async find(db, keys) {
    const { rows } = await sql<Dependency>`
      select project, child, parent, enabled, variants
      from feature_dependencies join features on features.name = child
      where child || ' → ' || parent = any(${keys}) order by child, parent`.execute(db);
    return new Map(rows.map(row => [toKey(row), row]));
  },
  async write(tx, items) {
    await sql`
      insert into feature_dependencies (child, parent, enabled, variants)
      select child, parent, enabled, variants
      from jsonb_to_recordset(${toJsonRows(items)}::jsonb) as given (
        child text, parent text, enabled boolean, variants jsonb)
      order by child, parent
      on conflict (child, parent) do update
      set enabled = excluded.enabled, variants = excluded.variants`.execute(tx);
  },
  event: state => ({
    type: 'feature-dependency-added',
    project: state.project,
    featureName: state.child,
    data: { feature: state.parent, enabled: state.enabled, variants: state.variants },
  }),
  remove: {
    async write(tx, keys) {
      await sql`delete from feature_dependencies where child || ' → ' || parent = any(${keys})`.execute(tx);
    },
    event: stateBefore => ({
      type: 'feature-dependency-removed',
      project: stateBefore.project,
      featureName: stateBefore.child,
      preData: { feature: stateBefore.parent },
    }),
  },
};
