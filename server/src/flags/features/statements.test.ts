import { expect, test } from 'vitest';
import { makeProject } from '../../test/factories.ts';
import { useHarness } from '../../test/harness.ts';
import { call } from '../../test/request.ts';

const harness = useHarness();

const request = async (method: 'GET' | 'POST' | 'PUT', url: string, body?: object) => {
  const response = await call(harness.app, method, url, body === undefined ? {} : { body });
  expect(response.status, `${method} ${url}`).toBeLessThan(300);
  return response.body;
};

/**
 * Creates a project with `size` features. Each feature has `size` tags and variants, and up to three links and strategies.
 */
async function makeProjectWithFeatures(id: string, size: number) {
  const numbers = Array.from({ length: size }, (_, number) => number);
  const names = numbers.map(number => `${id}-${number}`);
  await makeProject(harness.db, { id });
  const projectPath = `/api/admin/projects/${id}`;
  for (const name of names) {
    const tags = numbers.map(number => ({ type: 'simple', value: `${id}-${number}` }));
    await request('POST', `${projectPath}/features`, { name, tags });
    const variants = numbers.map(number => ({ name: `v${number}`, weight: 0 }));
    await request('PUT', `${projectPath}/features/${name}/variants-batch`, {
      variants,
      environments: ['development', 'production'],
    });
    for (const number of numbers.slice(0, 3))
      await request('POST', `${projectPath}/features/${name}/link`, { url: `https://example.com/${number}` });
    for (const _ of numbers.slice(0, 3))
      await request('POST', `${projectPath}/features/${name}/environments/production/strategies`, {
        name: 'default',
      });
  }
  return { projectPath, names, first: names[0] ?? '' };
}

async function count(work: () => Promise<unknown>): Promise<number> {
  const statementsBefore = harness.statements.length;
  await work();
  return harness.statements.length - statementsBefore;
}

async function countStatements(id: string, size: number) {
  const { projectPath, names, first } = await makeProjectWithFeatures(id, size);
  const tags = { addedTags: names.map(name => ({ type: 'simple', value: `new-${name}` })) };
  return {
    feature: await count(() => request('GET', `${projectPath}/features/${first}`)),
    list: await count(() => request('GET', `${projectPath}/features`)),
    tags: await count(() => request('GET', `/api/admin/features/${first}/tags`)),
    variants: await count(() =>
      request('GET', `${projectPath}/features/${first}/environments/production/variants`),
    ),
    stages: await count(() => request('GET', `${projectPath}/features/${first}/lifecycle`)),
    stageCounts: await count(() => request('GET', '/api/admin/lifecycle/count')),
    archiveCheck: await count(() => request('POST', `${projectPath}/archive/validate`, { features: names })),
    tagging: await count(() => request('PUT', `${projectPath}/tags`, { features: names, tags })),
    archiving: await count(() => request('POST', `${projectPath}/archive`, { features: names })),
  };
}

test('reading and changing features takes the same number of statements for 1 and for 12 features with many parts', async () => {
  const singleCounts = await countStatements('single', 1);
  const dozenCounts = await countStatements('dozen', 12);

  expect(dozenCounts).toEqual(singleCounts);
});

test('deleting a tag takes the same number of statements for 1 and for 12 features', async () => {
  const counts = [];
  for (const size of [1, 12]) {
    const value = `deleted-${size}`;
    for (let number = 0; number < size; number++) {
      await request('POST', '/api/admin/projects/default/features', {
        name: `tagged-${size}-${number}`,
        tags: [{ type: 'simple', value }],
      });
    }
    counts.push(await count(() => call(harness.app, 'DELETE', `/api/admin/tags/simple/${value}`)));
  }

  expect(counts[1]).toBe(counts[0]);
});
