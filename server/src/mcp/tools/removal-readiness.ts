import type { Feature } from '../../flags/features/schema.ts';
import type { ProjectHealth } from '../../flags/health/findings/schema.ts';
import { buildFlagUrl, findFlagProject } from '../flag-location.ts';
import { Arguments, Flag } from '../inputs.ts';
import { quoteName } from '../sanitize.ts';
import { tool } from '../tool.ts';
import { summarizeFinding } from './list-findings.ts';

/** The rules whose findings indicate that a flag's code can be removed. */
const REMOVAL_RULES: readonly string[] = [
  'stale',
  'past-lifetime',
  'enabled-everywhere',
  'disabled-everywhere',
  'never-seen',
  'constant-result',
];

const MAX_LISTED = 10;

export const removalReadiness = tool({
  name: 'removal_readiness',
  title: 'Check whether a flag can be removed',
  description:
    'Returns whether a flag can be removed from the code, which branch to keep, the evidence, and what blocks the removal. Archive the flag only after the code without it is deployed.',
  effect: 'reads',
  input: Arguments({ flag: Flag }),
  run: async (call, { flag }) => {
    const project = await findFlagProject(call, flag);
    const feature = await call.read<Feature>('getFeature', {
      params: { projectId: project, featureName: flag },
    });
    const { seenApplications } = await call.read<{ seenApplications: string[] }>('getFeatureUsage', {
      params: { featureName: flag },
    });
    const health = await call.read<ProjectHealth>('getProjectHealth', {
      params: { projectId: project },
      query: { feature: `IS:${flag}`, snoozed: 'all', limit: '20' },
    });
    const findings = health.findings.map(summarizeFinding);
    const evidence = findings.filter(({ kind }) => REMOVAL_RULES.includes(kind));
    const isEnabled = feature.environments.some(({ enabled }) => enabled);
    const keep = chooseBranch(evidence, isEnabled);
    const blockers = [
      ...(feature.archivedAt !== undefined ? ['The flag is already archived.'] : []),
      ...(feature.children.length > 0
        ? [`Other flags depend on it: ${feature.children.slice(0, MAX_LISTED).map(quoteName).join(', ')}.`]
        : []),
      ...(evidence.length === 0 ? ['There is no evidence that the flag has served its purpose.'] : []),
      ...(keep === 'unclear'
        ? ['It is unclear which branch to keep: evaluations have different results, or none were seen.']
        : []),
    ];
    return {
      flag,
      ready: blockers.length === 0,
      keep,
      evidence: evidence.map(({ kind, since, result, variant }) => ({ kind, since, result, variant })),
      blockers,
      applications: seenApplications.slice(0, MAX_LISTED),
      lastSeen: feature.lastSeenAt,
      url: buildFlagUrl(call, project, flag),
    };
  },
  text: ({ flag, ready, keep, evidence, blockers, applications, lastSeen }) => [
    `Flag ${quoteName(flag)} is ${ready ? '' : 'not '}ready to be removed; keep: ${keep}`,
    ...evidence.map(({ kind, since }) => `evidence: ${kind}${since === undefined ? '' : ` since ${since}`}`),
    ...blockers.map(blocker => `blocker: ${blocker}`),
    `applications: ${applications.map(quoteName).join(', ') || 'none'}${lastSeen === undefined ? '; never seen' : `; last seen ${lastSeen}`}`,
  ],
});

type Evidence = Pick<ReturnType<typeof summarizeFinding>, 'kind' | 'result' | 'variant'>;

/** Returns the code branch to keep: on, off, the variant that every evaluation returned, or unclear. */
function chooseBranch(evidence: Evidence[], isEnabled: boolean): string {
  const constantResult = evidence.find(({ result }) => result !== undefined);
  if (constantResult?.variant !== undefined) return `variant ${constantResult.variant}`;
  if (constantResult) return constantResult.result === 'enabled' ? 'on' : 'off';
  const hasFinding = (kind: string) => evidence.some(finding => finding.kind === kind);
  if (hasFinding('enabled-everywhere')) return 'on';
  return isEnabled ? 'unclear' : 'off';
}
