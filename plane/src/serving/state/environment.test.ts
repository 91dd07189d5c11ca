import { gunzipSync } from 'node:zlib';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { campaignSize } from '../../../../server/src/test/campaign.ts';
import type { Changes, FeatureRow, SegmentRow } from '../source.ts';
import { type Compress, gzipBody, plainBody } from './bodies.ts';
import { deltaEvents } from './delta.ts';
import { applyChanges, type Environment, loadEnvironment } from './environment.ts';
import { getOrCreateScope, makeEnvironmentState } from './environment-state.ts';
import { compressPiece } from './gzip.ts';
import { NO_FILTERS, type Scope, type Selection } from './scope.ts';

const PROJECTS = ['a', 'b', 'c'];

/** The tables of one environment. */
type Tables = { revision: number; features: Map<string, FeatureRow>; segments: Map<number, SegmentRow> };

const readChanges = (
  { revision, features, segments }: Tables,
  fromRevision: number,
  completeSince = 0,
): Changes => ({
  epoch: 'e1',
  revision,
  completeSince,
  features: [...features.values()].filter(row => row.revision > fromRevision),
  segments: [...segments.values()].filter(row => row.revision > fromRevision),
});

type Step = {
  name: string;
  project: string;
  uses: number[];
  segment: number;
  kind: 'put' | 'remove' | 'segment';
};

const step: fc.Arbitrary<Step> = fc.record({
  name: fc.integer({ min: 0, max: 400 }).map(number => `flag-${number}`),
  project: fc.constantFrom(...PROJECTS),
  uses: fc.uniqueArray(fc.integer({ min: 1, max: 4 }), { maxLength: 2 }),
  segment: fc.integer({ min: 1, max: 4 }),
  kind: fc.constantFrom('put', 'put', 'put', 'remove', 'segment'),
});

/** Changes one feature or segment as the projection does: a moved feature leaves a removal, and unused segments have no text. */
function change(tables: Tables, { name, project, uses, segment, kind }: Step): void {
  tables.revision++;
  const { revision, features, segments } = tables;
  const put = (row: FeatureRow) => features.set(`${row.project}/${row.name}`, row);
  const putSegment = (id: number) =>
    segments.set(id, { id, revision, document: JSON.stringify({ id, constraints: [], revision }) });
  if (kind === 'segment') {
    if (segments.get(segment)?.document) putSegment(segment);
    return;
  }
  const currentFeature = [...features.values()].find(row => row.name === name && row.document !== null);
  if (currentFeature && (kind === 'remove' || currentFeature.project !== project))
    put({ ...currentFeature, revision, document: null, segments: [], tags: [] });
  if (kind === 'put') {
    const document = JSON.stringify({
      name,
      project,
      revision,
      strategies: [{ name: 'default', segments: uses }],
    });
    put({ project, name, revision, document, segments: uses, tags: [] });
    for (const id of uses) if (!segments.get(id)?.document) putSegment(id);
  }
  const usedSegments = new Set([...features.values()].flatMap(row => row.segments));
  for (const { id, document } of segments.values())
    if (document !== null && !usedSegments.has(id)) segments.set(id, { id, revision, document: null });
}

const buildScope = (environment: Environment, fields: Partial<Selection> = {}): Scope =>
  getOrCreateScope(makeEnvironmentState(environment), {
    environment: 'production',
    projects: undefined,
    filters: NO_FILTERS,
    inline: false,
    ...fields,
  });

const SELECTIONS: Partial<Selection>[] = [
  {},
  { projects: ['a'] },
  { projects: ['a', 'c'] },
  { projects: ['a'], inline: true },
  { filters: { namePrefix: 'flag-1', tags: [] } },
];

type NamedRow = { name: string };
type NumberedRow = { id: number };
type Body = { features: NamedRow[]; segments: NumberedRow[] };
type Event = {
  type: string;
  feature: NamedRow;
  featureName: string;
  segment: NumberedRow;
  segmentId: number;
} & Body;

/** Applies events as an SDK does. */
function fold({ features, segments }: Body, events: Event[]): Body {
  const byName = new Map(features.map(feature => [feature.name, feature]));
  const byId = new Map(segments.map(segment => [segment.id, segment]));
  for (const event of events) {
    if (event.type === 'feature-updated') byName.set(event.feature.name, event.feature);
    if (event.type === 'feature-removed') byName.delete(event.featureName);
    if (event.type === 'segment-updated') byId.set(event.segment.id, event.segment);
    if (event.type === 'segment-removed') byId.delete(event.segmentId);
  }
  return { features: [...byName.values()], segments: [...byId.values()] };
}

const expectBody = async (body: Promise<Buffer>, text: string): Promise<void> =>
  expect(gunzipSync(await body).toString()).toBe(text);

/** The features by name, with the segments that they use. */
const view = ({ features, segments }: Body) => {
  const text = JSON.stringify(features);
  const usedSegments = segments.filter(({ id }) =>
    new RegExp(`"segments":\\[([0-9]+,)*${id}[,\\]]`).test(text),
  );
  return {
    features: features.toSorted((a, b) => (a.name < b.name ? -1 : 1)),
    segments: usedSegments.toSorted((a, b) => a.id - b.id),
  };
};

test('a server that read every change has the same ETags and bytes as a server that starts now', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.array(step, { maxLength: 30 }), { maxLength: 15 }), async batches => {
      const tables: Tables = { revision: 0, features: new Map(), segments: new Map() };
      const oldEnvironment = loadEnvironment(readChanges(tables, 0));
      const scopes = SELECTIONS.map(selection => buildScope(oldEnvironment, selection));
      const bodies: Promise<void>[] = [];
      for (const batch of batches) {
        for (const row of batch) change(tables, row);
        applyChanges(oldEnvironment, readChanges(tables, oldEnvironment.revision));
        // Not awaited, so that the next changes arrive while these bodies are compressed.
        for (const scope of scopes)
          bodies.push(expectBody(gzipBody('features', scope), plainBody('features', scope)));
      }
      await Promise.all(bodies);

      const newEnvironment = loadEnvironment(readChanges(tables, 0));

      for (const selection of SELECTIONS) {
        const [oldScope, newScope] = [
          buildScope(oldEnvironment, selection),
          buildScope(newEnvironment, selection),
        ];
        expect(oldScope.etag).toBe(newScope.etag);
        for (const kind of ['features', 'hydration'] as const) {
          const body = await gzipBody(kind, oldScope);
          expect(body.equals(await gzipBody(kind, newScope))).toBe(true);
          expect(gunzipSync(body).toString()).toBe(plainBody(kind, newScope));
        }
      }
    }),
    { numRuns: campaignSize({ usual: 12, long: 600 }) },
  );
});

test('applying the events after any revision results in the newest body', () => {
  fc.assert(
    fc.property(fc.array(step, { minLength: 1, maxLength: 80 }), fc.nat(), (steps, position) => {
      const tables: Tables = { revision: 0, features: new Map(), segments: new Map() };
      const environment = loadEnvironment(readChanges(tables, 0));
      const start = position % steps.length;
      let bodiesBefore: Body[] = SELECTIONS.slice(0, 3).map(() => ({ features: [], segments: [] }));
      for (const [stepIndex, step] of steps.entries()) {
        if (stepIndex === start)
          bodiesBefore = SELECTIONS.slice(0, 3).map(selection =>
            JSON.parse(plainBody('features', buildScope(environment, selection))),
          );
        change(tables, step);
        applyChanges(environment, readChanges(tables, environment.revision));
      }

      for (const [index, selection] of SELECTIONS.slice(0, 3).entries()) {
        const scope = buildScope(environment, selection);
        const events = deltaEvents(scope, environment, start, scope.revision) ?? [];
        const foldedBody = fold(
          bodiesBefore[index] as Body,
          events.map(text => JSON.parse(text)),
        );
        expect(view(foldedBody)).toEqual(view(JSON.parse(plainBody('features', scope))));
      }
    }),
    { numRuns: campaignSize({ usual: 40, long: 2_000 }) },
  );
});

test("a revision without a change in a scope's projects leaves its ETag unchanged", () => {
  const tables: Tables = { revision: 0, features: new Map(), segments: new Map() };
  const put = { kind: 'put' as const, uses: [], segment: 1 };
  change(tables, { ...put, name: 'one', project: 'a' });
  const environment = loadEnvironment(readChanges(tables, 0));
  const holder = makeEnvironmentState(environment);
  const scope = getOrCreateScope(holder, {
    environment: 'x',
    projects: ['a'],
    filters: NO_FILTERS,
    inline: false,
  });
  const { etag } = scope;

  change(tables, { ...put, name: 'two', project: 'b' });
  applyChanges(environment, readChanges(tables, 1));
  holder.version++;
  expect(scope.etag).toBe(etag);

  change(tables, { ...put, name: 'three', project: 'a' });
  applyChanges(environment, readChanges(tables, 2));
  holder.version++;
  expect(scope.revision).toBe(3);
});

test('purged removals no longer count, whether the server has run for a while or has just started', () => {
  const tables: Tables = { revision: 0, features: new Map(), segments: new Map() };
  const feature = { name: 'one', project: 'a', uses: [], segment: 1 };
  change(tables, { ...feature, kind: 'put' });
  change(tables, { ...feature, name: 'two', kind: 'put' });
  change(tables, { ...feature, kind: 'remove' });
  const oldEnvironment = loadEnvironment(readChanges(tables, 0));
  expect(buildScope(oldEnvironment).revision).toBe(3);

  tables.features.delete('a/one');
  applyChanges(oldEnvironment, readChanges(tables, 3, 3));

  expect(buildScope(oldEnvironment).etag).toBe(buildScope(loadEnvironment(readChanges(tables, 0, 3))).etag);
  expect(buildScope(oldEnvironment).revision).toBe(2);
  expect(deltaEvents(buildScope(oldEnvironment), oldEnvironment, 2, 3)).toBeUndefined();
  expect(deltaEvents(buildScope(oldEnvironment), oldEnvironment, 3, 3)).toEqual([]);
});

test('a change compresses one chunk, and a filter compresses only the chunks that it partly selects', async () => {
  const tables: Tables = { revision: 0, features: new Map(), segments: new Map() };
  for (let number = 0; number < 1_000; number++)
    change(tables, { name: `flag-${number}`, project: 'a', uses: [], segment: 1, kind: 'put' });
  const environment = loadEnvironment(readChanges(tables, 0));
  await gzipBody('features', buildScope(environment));
  const [chunksBefore] = [environment.projects[0]?.chunks ?? []];

  change(tables, { name: 'flag-500', project: 'a', uses: [], segment: 1, kind: 'put' });
  applyChanges(environment, readChanges(tables, 1_000));

  const chunks = environment.projects[0]?.chunks ?? [];
  expect(chunks.length).toBeGreaterThanOrEqual(10);
  expect(chunks.every(({ features }) => features.length <= 100)).toBe(true);
  expect(chunks.filter(chunk => !chunksBefore.includes(chunk))).toHaveLength(1);
  const compressionCallers: string[] = [];
  const recordingCompress: Compress = (caller, text) => {
    compressionCallers.push(caller);
    return compressPiece(text());
  };
  const selection = { environment: 'x', projects: undefined, inline: false };
  const scopeWith = (namePrefix: string) =>
    getOrCreateScope(
      makeEnvironmentState(environment),
      { ...selection, filters: { namePrefix, tags: [] } },
      '7',
    );
  await gzipBody('features', scopeWith('flag-'), recordingCompress);
  expect(compressionCallers).toEqual(['']);
  await gzipBody('features', scopeWith('flag-5'), recordingCompress);
  expect(compressionCallers.slice(1).every(caller => caller === '7')).toBe(true);
  expect(compressionCallers.length).toBeLessThanOrEqual(3);
});
