import { expect } from 'vitest';
import { makeFeature } from './factories.ts';
import type { Harness } from './harness.ts';
import { type ApiResponse, call } from './request.ts';

export const HERE = '/api/admin/projects/default/features';

/** Requests to the playground of an application, and the flags that they evaluate. */
export function playgroundRequests(harness: Harness) {
  const post = (url: string, body: unknown, token?: string): Promise<ApiResponse> =>
    call(harness.app, 'POST', url, { body, ...(token === undefined ? {} : { token }) });
  const playground = (body: object, token?: string) =>
    post('/api/admin/playground', { environment: 'development', context: {}, ...body }, token);
  const advanced = (body: object) =>
    post('/api/admin/playground/advanced', { environments: ['development'], context: {}, ...body });

  /** A feature that is enabled in development. */
  async function makeEnabled(name: string, strategies: object[], more: object = {}): Promise<void> {
    await makeFeature(harness.db, 'default', { name, ...more });
    const environment = `${HERE}/${name}/environments/development`;
    for (const strategy of strategies) {
      const added = await post(`${environment}/strategies`, strategy);
      expect(added.status, JSON.stringify(added.body)).toBe(200);
    }
    expect((await post(`${environment}/on`, undefined)).status).toBe(200);
  }

  /** The evaluation of one feature. */
  async function evaluate(name: string, context: object, more: object = {}) {
    const { status, body } = await playground({ features: [name], context, ...more });
    expect(status, JSON.stringify(body)).toBe(200);
    expect(body.features).toHaveLength(1);
    return body.features[0];
  }

  /** Half of the users get `half`, users in two countries get `norway`. */
  async function makeFlags(): Promise<void> {
    await makeEnabled('half', [rollout('50')]);
    await makeEnabled('norway', [
      {
        name: 'default',
        title: 'Norway',
        constraints: [{ contextName: 'country', operator: 'IN', values: ['NO', 'SE'] }],
      },
    ]);
  }

  return { post, playground, advanced, makeEnabled, evaluate, makeFlags };
}

export const rollout = (percentage: string, more: object = {}) => ({
  name: 'flexibleRollout',
  parameters: { rollout: percentage, stickiness: 'userId' },
  ...more,
});
