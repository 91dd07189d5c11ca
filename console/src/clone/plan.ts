import type { Feature } from '../features/queries.ts';
import { describeStrategyAudience, toPlainText } from '../features/words.ts';
import { escapeText } from '../ui/caller-text.ts';
import type { ClonePlan, OmittedPart, PlannedCopy } from './queries.ts';

/** A line of the plan and the lines below it. */
export type PlanNode = {
  /** Identifies the part. The same part has the same key in every plan. */
  key: string;
  label: string;
  text?: string;
  /** The reason why this part is not copied. */
  reason?: string;
  /** The content as JSON, without the children, to compare two plans. */
  content: string;
  children: PlanNode[];
};
export type MarkedNode = Omit<PlanNode, 'children'> & {
  /** How the line differs from the previous plan. */
  mark?: 'new' | 'changed' | 'removed';
  previousText?: string;
  children: MarkedNode[];
};

type SegmentNames = ReadonlyMap<number, string>;

/**
 * Turns the plan into a tree: the flag, its environments with their strategies and variants, its tags and parents, and the
 * omitted parts.
 */
export function buildPlanTree(plan: ClonePlan, source: Feature, segmentNames: SegmentNames): PlanNode[] {
  return plan.copies.map(copy =>
    buildNode('flag', copy.name, {
      text: copy.description,
      content: [copy.project, copy.type, copy.description, copy.impressionData],
      children: [
        ...copy.environments.map(environment => buildEnvironmentNode(environment, segmentNames)),
        ...buildListNodes('tags', 'Tags', copy.tags.map(formatTag)),
        ...buildListNodes('dependencies', 'Depends on', copy.dependencies.map(formatParent)),
        ...buildOmittedNodes(copy.omitted, source),
      ],
    }),
  );
}

function buildNode(
  key: string,
  label: string,
  { content, children = [], ...fields }: Partial<Omit<PlanNode, 'content'>> & { content?: unknown } = {},
): PlanNode {
  return { key, label, ...fields, content: JSON.stringify(content ?? fields.text ?? label), children };
}

function buildEnvironmentNode(
  { name, from, strategies, variants }: PlannedCopy['environments'][number],
  segmentNames: SegmentNames,
): PlanNode {
  return buildNode(`environment ${name}`, name, {
    text: from === name ? undefined : `from ${from}`,
    content: from,
    children: [
      ...strategies.map(({ copyOf, ...strategy }) =>
        buildNode(`strategy ${copyOf}`, escapeText(strategy.title || 'Strategy'), {
          text: toPlainText(describeStrategyAudience(strategy, segmentNames)),
          content: strategy,
        }),
      ),
      ...buildListNodes(
        'variants',
        'Variants',
        variants.map(variant => variant.name),
        variants,
      ),
    ],
  });
}

const buildListNodes = (key: string, label: string, items: string[], content: unknown = items): PlanNode[] =>
  items.length === 0 ? [] : [buildNode(key, label, { text: items.join(', '), content })];

const formatTag = (tag: { type: string; value: string }): string => `${tag.type}:${tag.value}`;
const formatParent = ({ feature, enabled }: { feature: string; enabled: boolean }): string =>
  enabled ? feature : `${feature} (disabled)`;

/** Returns one line for each omitted part and reason, such as "Enabled in development, production". */
function buildOmittedNodes(omitted: readonly OmittedPart[], source: Feature): PlanNode[] {
  const groups = Map.groupBy(omitted, ({ part, reason }) => `omitted ${part} ${reason}`);
  return [...groups].map(([key, parts]) => {
    const [first] = parts as [OmittedPart]; // A group has at least one part.
    const environments = parts.flatMap(({ environment }) => environment ?? []);
    return buildNode(key, OMITTED[first.part]?.label ?? first.part, {
      text: environments.join(', ') || OMITTED[first.part]?.contents?.(source).join(', '),
      reason: first.reason,
    });
  });
}

/** The labels of omitted parts, and their contents in the source. */
const OMITTED: Record<string, { label: string; contents?(source: Feature): string[] }> = {
  environment: { label: 'Environment' },
  enabled: { label: 'Enabled in' },
  stale: { label: 'Stale' },
  strategies: {
    label: 'Strategies',
    contents: source =>
      source.environments
        .filter(environment => environment.strategies.length > 0)
        .map(environment => `in ${environment.name}`),
  },
  variants: {
    label: 'Variants',
    contents: source =>
      source.environments
        .filter(environment => environment.variants.length > 0)
        .map(environment => `in ${environment.name}`),
  },
  tags: { label: 'Tags', contents: source => source.tags.map(formatTag) },
  dependencies: { label: 'Depends on', contents: source => source.dependencies.map(formatParent) },
  links: { label: 'Links', contents: source => source.links.map(link => link.title ?? link.url) },
  children: { label: 'Flags that depend on it', contents: source => source.children },
};

/** Marks the lines that differ from the plan that the user saw before. */
export function markDifferences(
  nodes: readonly PlanNode[],
  previousNodes?: readonly PlanNode[],
): MarkedNode[] {
  if (!previousNodes) return [...nodes];
  const previousByKey = new Map(previousNodes.map(previous => [previous.key, previous]));
  const markedNodes = nodes.map((current): MarkedNode => {
    const previous = previousByKey.get(current.key);
    const children = markDifferences(current.children, previous?.children ?? []);
    if (!previous) return { ...current, children, mark: 'new' };
    if (previous.content === current.content) return { ...current, children };
    return { ...current, children, mark: 'changed', previousText: previous.text };
  });
  const keys = new Set(nodes.map(current => current.key));
  const removedNodes = previousNodes.filter(previous => !keys.has(previous.key)).map(markRemoved);
  return [...markedNodes, ...removedNodes];
}

const markRemoved = (removedNode: PlanNode): MarkedNode => ({
  ...removedNode,
  mark: 'removed',
  children: removedNode.children.map(markRemoved),
});

/** Counts the lines that differ. */
export const countMarks = (nodes: readonly MarkedNode[]): number =>
  nodes.reduce((sum, current) => sum + (current.mark ? 1 : 0) + countMarks(current.children), 0);
