import { Type } from 'typebox';
import type { Finding, ProjectHealth } from '../../flags/health/findings/schema.ts';
import { RULES } from '../../flags/health/rules/rules.ts';
import { Arguments, Cursor, DEFAULT_LIMIT, Limit, Project } from '../inputs.ts';
import { quoteName, takeFittingItems } from '../sanitize.ts';
import { tool } from '../tool.ts';

export const listFindings = tool({
  name: 'list_findings',
  title: 'List findings',
  description:
    "Lists problems with a project's flags, such as stale, never seen or always the same result, each with a remedy.",
  effect: 'reads',
  input: Arguments({
    project: Project,
    kind: Type.Optional(Type.Enum(RULES.map(({ name }) => name))),
    limit: Limit,
    cursor: Cursor,
  }),
  run: async (call, { project, kind, limit = DEFAULT_LIMIT, cursor = 0 }) => {
    const health = await call.read<ProjectHealth>('getProjectHealth', {
      params: { projectId: project },
      query: {
        ...(kind !== undefined && { rule: `IS:${kind}` }),
        limit: String(limit),
        offset: String(cursor),
      },
    });
    const findings = takeFittingItems(health.findings.map(summarizeFinding));
    const next = cursor + findings.length;
    return {
      health: health.health,
      findings,
      total: health.total,
      ...(next < health.total && findings.length > 0 && { next }),
    };
  },
  text: ({ health, findings, total, next }) => [
    `Health ${health} of 100, ${total} ${total === 1 ? 'finding' : 'findings'}${next === undefined ? '' : `, next page: cursor ${next}`}`,
    ...findings.map(
      ({ kind, flag, segment, since, remedy }) =>
        `${kind}: ${flag === undefined ? `segment ${quoteName(segment ?? '')}` : quoteName(flag)}${since === undefined ? '' : ` since ${since}`}. ${remedy}`,
    ),
  ],
});

/** Returns a finding with the evidence that determines which code branch to keep. */
export const summarizeFinding = ({ rule, feature, segment, evidence, remedy }: Finding) => ({
  kind: rule,
  flag: feature ?? undefined,
  segment: segment?.name,
  since: evidence.since ?? undefined,
  result: evidence.result,
  variant: evidence.variant ?? undefined,
  remedy,
});
