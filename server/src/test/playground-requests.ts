import { expect } from 'vitest';
import { makeFeature } from './factories.ts';
import type { Harness } from './harness.ts';
import { type ApiResponse, call } from './request.ts';

export const BASE_PATH = '/api/admin/projects/default/features';

/** Returns functions that send playground requests and that create the flags to evaluate. */
export function playgroundRequests(harness: Harness) {
  const post = (url: string, body: unknown, token?: string): Promise<ApiResponse> =>
    call(harness.app, 'POST', url, { body, ...(token === undefined ? {} : { token }) });
  const playground = (body: object, token?: string) =>
    post('/api/admin/playground', { environment: 'development', context: {}, ...body }, token);
  const advanced = (body: object) =>
    post('/api/admin/playground/advanced', { environments: ['development'], context: {}, ...body });

  /** Creates a feature that is enabled in development. */
  async function makeEnabled(name: string, strategies: object[], otherFields: object = {}): Promise<void> {
    await makeFeature(harness.db, 'default', { name, ...otherFields });
    const environment = `${BASE_PATH}/${name}/environments/development`;
    for (const strategy of strategies) {
      const response = await post(`${environment}/strategies`, strategy);
      expect(response.status, JSON.stringify(response.body)).toBe(200);
    }
    expect((await post(`${environment}/on`, undefined)).status).toBe(200);
  }

  /** Returns the evaluation of one feature. */
  async function evaluate(name: string, context: object, otherFields: object = {}) {
    const { status, body } = await playground({ features: [name], context, ...otherFields });
    expect(status, JSON.stringify(body)).toBe(200);
    expect(body.features).toHaveLength(1);
    return body.features[0];
  }

  /**
   * Creates the flag `half`, which is enabled for half of the users, and `norway`, which is enabled for users in two countries.
   */
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

export const rollout = (percentage: string, otherFields: object = {}) => ({
  name: 'flexibleRollout',
  parameters: { rollout: percentage, stickiness: 'userId' },
  ...otherFields,
});
