import type { Feature } from '../features/queries.ts';
import { audienceOf, textOf } from '../features/words.ts';
import type { ClonePlan, OmittedPart, PlannedCopy } from './queries.ts';

/** A line of the plan and the lines below it. */
export type PlanNode = {
  /** The same part has the same key in two plans. */
  key: string;
  label: string;
  text?: string;
  /** Why the copy does not get this part. */
  why?: string;
  /** Everything that a difference between two plans can concern, without the children. */
  content: string;
  children: PlanNode[];
};
export type MarkedNode = Omit<PlanNode, 'children'> & {
  /** How the line differs from the previous plan. */
  mark?: 'new' | 'changed' | 'removed';
  before?: string;
  children: MarkedNode[];
};

type SegmentNames = ReadonlyMap<number, string>;

/** The plan as a tree: flag, environments with strategies and variants, tags, parents, and the parts it omits. */
export function treeOf(plan: ClonePlan, source: Feature, segmentNames: SegmentNames): PlanNode[] {
  return plan.copies.map(copy =>
    node('flag', copy.name, {
      text: copy.description,
      content: [copy.project, copy.type, copy.description, copy.impressionData],
      children: [
        ...copy.environments.map(environment => environmentNode(environment, segmentNames)),
        ...listNode('tags', 'Tags', copy.tags.map(tagText)),
        ...listNode('dependencies', 'Depends on', copy.dependencies.map(parentText)),
        ...omittedNodes(copy.omitted, source),
      ],
    }),
  );
}

function node(
  key: string,
  label: string,
  { content, children = [], ...given }: Partial<Omit<PlanNode, 'content'>> & { content?: unknown } = {},
): PlanNode {
  return { key, label, ...given, content: JSON.stringify(content ?? given.text ?? label), children };
}

function environmentNode(
  { name, from, strategies, variants }: PlannedCopy['environments'][number],
  segmentNames: SegmentNames,
): PlanNode {
  return node(`environment ${name}`, name, {
    text: from === name ? undefined : `from ${from}`,
    content: from,
    children: [
      ...strategies.map(({ copyOf, ...strategy }) =>
        node(`strategy ${copyOf}`, strategy.title || 'Strategy', {
          text: textOf(audienceOf(strategy, segmentNames)),
          content: strategy,
        }),
      ),
      ...listNode(
        'variants',
        'Variants',
        variants.map(variant => variant.name),
        variants,
      ),
    ],
  });
}

const listNode = (key: string, label: string, items: string[], content: unknown = items): PlanNode[] =>
  items.length === 0 ? [] : [node(key, label, { text: items.join(', '), content })];

const tagText = (tag: { type: string; value: string }): string => `${tag.type}:${tag.value}`;
const parentText = ({ feature, enabled }: { feature: string; enabled: boolean }): string =>
  enabled ? feature : `${feature} (disabled)`;

/** Omitted parts with one reason form one line, such as "Enabled in development, production". */
function omittedNodes(omitted: readonly OmittedPart[], source: Feature): PlanNode[] {
  const groups = Map.groupBy(omitted, ({ part, reason }) => `omitted ${part} ${reason}`);
  return [...groups].map(([key, parts]) => {
    const [first] = parts as [OmittedPart]; // A group has at least one part.
    const environments = parts.flatMap(({ environment }) => environment ?? []);
    return node(key, OMITTED[first.part]?.label ?? first.part, {
      text: environments.join(', ') || OMITTED[first.part]?.contents?.(source).join(', '),
      why: first.reason,
    });
  });
}

/** The names of omitted parts, and what the source has of them. */
const OMITTED: Record<string, { label: string; contents?(source: Feature): string[] }> = {
  environment: { label: 'Environment' },
  enabled: { label: 'Enabled in' },
  stale: { label: 'Stale' },
  strategies: {
    label: 'Strategies',
    contents: source =>
      source.environments.filter(one => one.strategies.length > 0).map(one => `in ${one.name}`),
  },
  variants: {
    label: 'Variants',
    contents: source =>
      source.environments.filter(one => one.variants.length > 0).map(one => `in ${one.name}`),
  },
  tags: { label: 'Tags', contents: source => source.tags.map(tagText) },
  dependencies: { label: 'Depends on', contents: source => source.dependencies.map(parentText) },
  links: { label: 'Links', contents: source => source.links.map(link => link.title ?? link.url) },
  children: { label: 'Flags that depend on it', contents: source => source.children },
};

/** The lines of a plan, marked where they differ from the plan that the user saw before. */
export function markDifferences(now: readonly PlanNode[], before?: readonly PlanNode[]): MarkedNode[] {
  if (!before) return [...now];
  const previous = new Map(before.map(one => [one.key, one]));
  const marked = now.map((one): MarkedNode => {
    const old = previous.get(one.key);
    const children = markDifferences(one.children, old?.children ?? []);
    if (!old) return { ...one, children, mark: 'new' };
    if (old.content === one.content) return { ...one, children };
    return { ...one, children, mark: 'changed', before: old.text };
  });
  const keys = new Set(now.map(one => one.key));
  const removed = before.filter(one => !keys.has(one.key)).map(markRemoved);
  return [...marked, ...removed];
}

const markRemoved = (one: PlanNode): MarkedNode => ({
  ...one,
  mark: 'removed',
  children: one.children.map(markRemoved),
});

/** How many lines differ. */
export const countMarks = (nodes: readonly MarkedNode[]): number =>
  nodes.reduce((sum, one) => sum + (one.mark ? 1 : 0) + countMarks(one.children), 0);
