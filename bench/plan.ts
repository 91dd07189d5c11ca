import type pg from 'pg';
import type { Statement } from './measure.ts';

type Node = {
  'Node Type': string;
  'Relation Name'?: string;
  'Index Name'?: string;
  'Parallel Aware'?: boolean;
  Plans?: Node[];
};

export type Plan = {
  text: string;
  scans: string[];
  /** Those of the scans that read a whole table or partition. */
  sequential: string[];
  /** Most rows that one scan read and threw away: an index that is walked past what does not match. */
  passedOver: number;
};

/** The plan of a statement, with the scans of tables or indexes whose name starts with one of `names`. */
export async function explain(
  client: pg.Client,
  { text, values }: Statement,
  names: string[],
): Promise<Plan> {
  const lines = await client.query<{ 'QUERY PLAN': string }>(`explain (analyze, buffers) ${text}`, values);
  const tree = await client.query<{ 'QUERY PLAN': { Plan: Node }[] }>(
    `explain (format json) ${text}`,
    values,
  );
  const scans = [...nodesOf(tree.rows[0]?.['QUERY PLAN'][0]?.Plan)].filter(node =>
    names.some(name => (node['Relation Name'] ?? node['Index Name'] ?? '').startsWith(name)),
  );
  const plan = lines.rows.map(row => row['QUERY PLAN']).join('\n');
  return {
    text: plan,
    passedOver: Math.max(
      0,
      ...[...plan.matchAll(/Rows Removed by Filter: (\d+)/g)].map(([, n]) => Number(n)),
    ),
    scans: [...new Set(scans.map(describe))],
    sequential: scans.filter(node => node['Node Type'] === 'Seq Scan').map(describe),
  };
}

function* nodesOf(node: Node | undefined): Generator<Node> {
  if (!node) return;
  yield node;
  for (const child of node.Plans ?? []) yield* nodesOf(child);
}

function describe(node: Node): string {
  const where = node['Index Name'] ?? node['Relation Name'];
  return `${node['Parallel Aware'] ? 'Parallel ' : ''}${node['Node Type']} ${where}`;
}
