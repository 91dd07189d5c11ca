import type { Harness } from './harness.ts';
import { type ApiResponse, call } from './request.ts';
import { insertRichFeature, insertSegment, type RichFeature } from './rich-feature.ts';

const PROJECTS = '/api/admin/projects';

type Body = Record<string, unknown>;
type RecordedEvent = { type: string; environment: string | null; data: Body; preData: Body; groupId: string };
type CloneOptions = { project?: string; token?: string; query?: string };

/** The rollout strategy of a feature created by `makeFullFeature`. */
export const ROLLOUT = {
  name: 'flexibleRollout',
  title: 'Slowly',
  sortOrder: 3,
  parameters: { rollout: '25', stickiness: 'userId', groupId: 'rich' },
  constraints: [
    {
      contextName: 'country',
      operator: 'IN' as const,
      values: ['CZ'],
      inverted: false,
      caseInsensitive: false,
    },
  ],
  variants: [{ name: 'blue', weight: 1_000, weightType: 'variable' as const, stickiness: 'default' }],
};

/** Returns the requests that clone features. */
export const cloneRequests = (harness: Harness) => ({
  clone: (source: string, body: Body, { project = 'default', token, query = '' }: CloneOptions = {}) =>
    call(harness.app, 'POST', `${PROJECTS}/${project}/features/${source}/clone${query}`, {
      body,
      ...(token === undefined ? {} : { token }),
    }),
  cloneMany: (project: string, body: Body, query = '') =>
    call(harness.app, 'POST', `${PROJECTS}/${project}/clone${query}`, { body }),
  getFeature: async (name: string, project = 'default') =>
    (await call(harness.app, 'GET', `${PROJECTS}/${project}/features/${name}`)).body,
  readEvents: async (feature: string): Promise<RecordedEvent[]> => {
    const url = `/api/admin/search/events?feature=IS:${feature}`;
    return (await call(harness.app, 'GET', url)).body.events.toReversed();
  },
  makeFullFeature: (name: string, fields: Partial<RichFeature> = {}) =>
    makeFullFeature(harness, name, fields),
});

/** Returns the messages of all violations in a rejected request. */
export const getErrorMessages = ({ body }: ApiResponse): string[] =>
  body.details.map((detail: { message: string }) => detail.message);

/** Creates a feature that has one of everything that can be cloned. */
async function makeFullFeature({ db }: Harness, name: string, fields: Partial<RichFeature>) {
  const parent = `${name}-parent`;
  if (!fields.dependencies)
    await insertRichFeature(db, {
      name: parent,
      ...(fields.project ? { project: fields.project } : {}),
    });
  const segment = await insertSegment(db, `segment of ${name}`);
  await insertRichFeature(db, {
    name,
    type: 'experiment',
    description: 'Everything',
    impressionData: true,
    stale: true,
    tags: [{ type: 'simple', value: 'checkout' }],
    dependencies: [{ feature: parent, enabled: true, variants: ['blue'] }],
    links: ['https://example.com'],
    environments: {
      development: {
        enabled: true,
        strategies: [{ ...ROLLOUT, segments: [segment] }, { disabled: true }],
        variants: [{ name: 'red', weight: 1_000, weightType: 'variable', stickiness: 'default' }],
      },
      production: { strategies: [{ name: 'remoteAddress', parameters: { IPs: '127.0.0.1' } }] },
    },
    ...fields,
  });
  return { segment, parent };
}
