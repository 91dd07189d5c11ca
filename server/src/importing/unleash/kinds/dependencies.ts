import { sql } from 'kysely';
import { listOf, readBatches, readRows, textOf } from '../source/source.ts';
import { projectsOfFeatures } from './features.ts';
import type { Item, Kind } from './kind.ts';
import { acceptable, rejected, rowsOf } from './vocabulary.ts';

type Dependency = { project: string; child: string; parent: string; enabled: boolean; variants: string[] };

const COLUMNS = ['child', 'parent', 'enabled', 'variants'];
const keyOf = ({ child, parent }: Pick<Dependency, 'child' | 'parent'>): string => `${child} → ${parent}`;

/** After all features, because a parent can come after its child. */
export const DEPENDENCIES: Kind<Dependency> = {
  name: 'dependencies',
  async *read({ source, rejected: isRejected }) {
    for await (const rows of readBatches(source, {
      table: 'dependent_features',
      columns: COLUMNS,
      orderBy: 'child, parent',
    })) {
      const parents = rows.map(row => textOf(row.parent));
      const withParents = await readRows(source, {
        table: 'dependent_features',
        columns: ['child'],
        orderBy: 'child',
        where: { sql: 'child = any($1)', values: [parents] },
      });
      const children = rows.map(row => textOf(row.child));
      const projectOf = await projectsOfFeatures(source, children);
      const areChildren = new Set(withParents.map(row => textOf(row.child)));
      yield rows.map((row): Item<Dependency> => {
        const [child, parent] = [textOf(row.child), textOf(row.parent)];
        const missing = [child, parent].filter(name => isRejected('features', name));
        return {
          key: keyOf({ child, parent }),
          state: {
            project: projectOf.get(child) ?? 'default',
            child,
            parent,
            enabled: row.enabled !== false,
            variants: listOf(row.variants).map(textOf),
          },
          problems: [
            ...missing.map(name => rejected(`${name} was not imported`)),
            ...(child === parent ? [rejected('a flag cannot depend on itself')] : []),
            ...(areChildren.has(parent)
              ? [
                  acceptable(
                    `its parent ${parent} has a parent too, and Halyard supports one level of dependencies`,
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
    return new Map(rows.map(row => [keyOf(row), row]));
  },
  async write(tx, items) {
    await sql`
      insert into feature_dependencies (child, parent, enabled, variants)
      select child, parent, enabled, variants
      from jsonb_to_recordset(${rowsOf(items)}::jsonb) as given (
        child text, parent text, enabled boolean, variants jsonb)
      order by child, parent
      on conflict (child, parent) do update set enabled = excluded.enabled, variants = excluded.variants`.execute(
      tx,
    );
  },
  event: after => ({
    type: 'feature-dependency-added',
    project: after.project,
    featureName: after.child,
    data: { feature: after.parent, enabled: after.enabled, variants: after.variants },
  }),
  remove: {
    async write(tx, keys) {
      await sql`delete from feature_dependencies where child || ' → ' || parent = any(${keys})`.execute(tx);
    },
    event: before => ({
      type: 'feature-dependency-removed',
      project: before.project,
      featureName: before.child,
      preData: { feature: before.parent },
    }),
  },
};
