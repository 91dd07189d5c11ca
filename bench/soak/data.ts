import { importOf, must } from '../requests.ts';

export const PROJECTS = ['soak-a', 'soak-b', 'soak-c'];
export const FLAGS = 300;
export const ENVIRONMENT = 'development';
export const flag = (project: string, n: number) => `${project}.flag-${n}`;

/** Which events each receiver gets. The one that hangs gets rare ones: each attempt lasts until its time limit. */
export const SUBSCRIPTIONS = {
  sound: ['feature-environment-enabled', 'feature-environment-disabled', 'feature-created'],
  failing: ['feature-environment-enabled'],
  hanging: ['project-updated'],
};
export type ReceiverName = keyof typeof SUBSCRIPTIONS;

/** Projects with flags of several strategies, and an integration for each receiver. */
export async function prepare(server: string, receivers: Record<ReceiverName, string>): Promise<void> {
  for (const project of PROJECTS) {
    await must(server, 'POST', '/api/admin/projects', { id: project, name: project });
    await must(server, 'POST', '/api/admin/features-batch/import', flagsFrom(project, 0, FLAGS));
  }
  for (const name of Object.keys(SUBSCRIPTIONS) as ReceiverName[]) {
    await must(server, 'POST', '/api/admin/addons', {
      provider: 'webhook',
      description: name,
      enabled: true,
      events: SUBSCRIPTIONS[name],
      parameters: { url: receivers[name] },
    });
  }
}

export function flagsFrom(project: string, first: number, count: number): object {
  const names = Array.from({ length: count }, (_, n) => flag(project, first + n));
  return importOf(project, ENVIRONMENT, names, false, name =>
    ['25', '50'].map(rollout => ({
      name: 'flexibleRollout',
      parameters: { rollout, stickiness: 'default', groupId: name },
      constraints: [{ contextName: 'userId', operator: 'IN', values: ['1', '2', '3'] }],
    })),
  );
}
