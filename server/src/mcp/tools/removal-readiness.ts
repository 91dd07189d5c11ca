import type { Feature } from '../../flags/features/schema.ts';
import type { ProjectHealth } from '../../flags/health/findings/schema.ts';
import { Arguments, Flag } from '../inputs.ts';
import { flagUrl, projectOf } from '../place.ts';
import { named } from '../shown.ts';
import { tool } from '../tool.ts';
import { findingOf } from './list-findings.ts';

/** Rules whose findings say that the code of a flag can be removed. */
const REASONS: readonly string[] = [
  'stale',
  'past-lifetime',
  'enabled-everywhere',
  'disabled-everywhere',
  'never-seen',
  'constant-result',
];

const MAX_SHOWN = 10;

export const removalReadiness = tool({
  name: 'removal_readiness',
  title: 'Check whether a flag can be removed',
  description:
    'Says whether a flag can be removed from the code, which branch to keep, the evidence, and what blocks the removal. Archive the flag only after the code without it is deployed.',
  effect: 'reads',
  input: Arguments({ flag: Flag }),
  run: async (call, { flag }) => {
    const project = await projectOf(call, flag);
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
    const findings = health.findings.map(findingOf);
    const evidence = findings.filter(({ kind }) => REASONS.includes(kind));
    const isEnabled = feature.environments.some(({ enabled }) => enabled);
    const keep = keptBranch(evidence, isEnabled);
    const blockers = [
      ...(feature.archivedAt !== undefined ? ['The flag is already archived.'] : []),
      ...(feature.children.length > 0
        ? [`Other flags depend on it: ${feature.children.slice(0, MAX_SHOWN).map(named).join(', ')}.`]
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
      applications: seenApplications.slice(0, MAX_SHOWN),
      lastSeen: feature.lastSeenAt,
      url: flagUrl(call, project, flag),
    };
  },
  text: ({ flag, ready, keep, evidence, blockers, applications, lastSeen }) => [
    `Flag ${named(flag)} is ${ready ? '' : 'not '}ready to be removed; keep: ${keep}`,
    ...evidence.map(({ kind, since }) => `evidence: ${kind}${since === undefined ? '' : ` since ${since}`}`),
    ...blockers.map(blocker => `blocker: ${blocker}`),
    `applications: ${applications.map(named).join(', ') || 'none'}${lastSeen === undefined ? '; never seen' : `; last seen ${lastSeen}`}`,
  ],
});

type Evidence = Pick<ReturnType<typeof findingOf>, 'kind' | 'result' | 'variant'>;

/** The branch of the code that stays: on, off, or the variant that every evaluation had. */
function keptBranch(evidence: Evidence[], isEnabled: boolean): string {
  const constant = evidence.find(({ result }) => result !== undefined);
  if (constant?.variant !== undefined) return `variant ${constant.variant}`;
  if (constant) return constant.result === 'enabled' ? 'on' : 'off';
  const has = (kind: string) => evidence.some(one => one.kind === kind);
  if (has('enabled-everywhere')) return 'on';
  return isEnabled ? 'unclear' : 'off';
}
