import { type Api, createFlag, createProject } from './api.ts';

/** Creates a flag with a strategy for 50 % of the users in production. */
export async function createFlagWithStrategy(api: Api, body: object = {}, flagName?: string) {
  const project = await createProject(api);
  const name = await createFlag(api, project, flagName === undefined ? {} : { name: flagName });
  const base = `/api/admin/projects/${project}/features/${name}`;
  const strategies = `${base}/environments/production/strategies`;
  const { id } = await api.send<{ id: string }>('POST', strategies, {
    name: 'flexibleRollout',
    title: 'Gradual rollout',
    parameters: { rollout: '50', stickiness: 'default', groupId: name },
    ...body,
  });
  return { project, name, base, strategies, id, pagePath: `/projects/${project}/features/${name}` };
}
