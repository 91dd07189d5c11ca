import type { Harness } from './harness.ts';
import { call } from './request.ts';

type RecordedEvent = {
  type: string;
  environment: string;
  data: Record<string, unknown>;
  preData: Record<string, unknown>;
};

/** Creates a feature. Returns functions that add and list its strategies in development, and that list its later events. */
export async function makeFeatureWithRequests(harness: Harness, name: string, project = 'default') {
  await call(harness.app, 'POST', `/api/admin/projects/${project}/features`, { body: { name } });
  const environmentPath = `/api/admin/projects/${project}/features/${name}/environments/development`;
  return {
    environmentPath,
    add: (body: object) => call(harness.app, 'POST', `${environmentPath}/strategies`, { body }),
    list: async () => (await call(harness.app, 'GET', `${environmentPath}/strategies`)).body,
    events: async (): Promise<RecordedEvent[]> =>
      (await call(harness.app, 'GET', `/api/admin/search/events?feature=IS:${name}`)).body.events
        .toReversed()
        .slice(1),
  };
}
