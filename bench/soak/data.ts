import { buildImport, mustSend } from '../requests.ts';

export const PROJECTS = ['soak-a', 'soak-b', 'soak-c'];
export const FLAGS = 300;
export const ENVIRONMENT = 'development';
export const getFlagName = (project: string, n: number) => `${project}.flag-${n}`;

/** The events sent to each receiver. The hanging receiver gets rare events, because each attempt runs until it times out. */
export const SUBSCRIPTIONS = {
  healthy: ['feature-environment-enabled', 'feature-environment-disabled', 'feature-created'],
  failing: ['feature-environment-enabled'],
  hanging: ['project-updated'],
};
export type ReceiverName = keyof typeof SUBSCRIPTIONS;

/** Creates projects whose flags have several strategies, and an integration for each receiver. */
export async function prepare(server: string, receivers: Record<ReceiverName, string>): Promise<void> {
  for (const project of PROJECTS) {
    await mustSend(server, 'POST', '/api/admin/projects', { id: project, name: project });
    await mustSend(server, 'POST', '/api/admin/features-batch/import', makeImport(project, 0, FLAGS));
  }
  for (const name of Object.keys(SUBSCRIPTIONS) as ReceiverName[]) {
    await mustSend(server, 'POST', '/api/admin/addons', {
      provider: 'webhook',
      description: name,
      enabled: true,
      events: SUBSCRIPTIONS[name],
      parameters: { url: receivers[name] },
    });
  }
}

export function makeImport(project: string, firstFlag: number, count: number): object {
  const names = Array.from({ length: count }, (_, n) => getFlagName(project, firstFlag + n));
  return buildImport(project, ENVIRONMENT, names, false, name =>
    ['25', '50'].map(rollout => ({
      name: 'flexibleRollout',
      parameters: { rollout, stickiness: 'default', groupId: name },
      constraints: [{ contextName: 'userId', operator: 'IN', values: ['1', '2', '3'] }],
    })),
  );
}
