import { gunzipSync } from 'node:zlib';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { sized } from '../../../../server/src/test/campaign.ts';
import type { Changes, FeatureRow, SegmentRow } from '../source.ts';
import { type Compress, gzipBody, plainBody } from './bodies.ts';
import { deltaEvents } from './delta.ts';
import { applyChanges, type Environment, loadEnvironment } from './environment.ts';
import { pieceOf } from './gzip.ts';
import { makeHolder, scopeIn } from './holder.ts';
import { NO_FILTERS, type Scope, type Selection } from './scope.ts';

const PROJECTS = ['a', 'b', 'c'];

/** The tables of one environment. */
type Tables = { revision: number; features: Map<string, FeatureRow>; segments: Map<number, SegmentRow> };

const after = ({ revision, features, segments }: Tables, from: number, completeSince = 0): Changes => ({
  epoch: 'e1',
  revision,
  completeSince,
  features: [...features.values()].filter(row => row.revision > from),
  segments: [...segments.values()].filter(row => row.revision > from),
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
  const live = [...features.values()].find(row => row.name === name && row.document !== null);
  if (live && (kind === 'remove' || live.project !== project))
    put({ ...live, revision, document: null, segments: [], tags: [] });
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
  const used = new Set([...features.values()].flatMap(row => row.segments));
  for (const { id, document } of segments.values())
    if (document !== null && !used.has(id)) segments.set(id, { id, revision, document: null });
}

const scopeOf = (environment: Environment, fields: Partial<Selection> = {}): Scope =>
  scopeIn(makeHolder(environment), {
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

type Named = { name: string };
type Numbered = { id: number };
type Body = { features: Named[]; segments: Numbered[] };
type Event = {
  type: string;
  feature: Named;
  featureName: string;
  segment: Numbered;
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

const checked = async (body: Promise<Buffer>, text: string): Promise<void> =>
  expect(gunzipSync(await body).toString()).toBe(text);

/** The features by name, with the segments that they use. */
const view = ({ features, segments }: Body) => {
  const text = JSON.stringify(features);
  const used = segments.filter(({ id }) => new RegExp(`"segments":\\[([0-9]+,)*${id}[,\\]]`).test(text));
  return {
    features: features.toSorted((a, b) => (a.name < b.name ? -1 : 1)),
    segments: used.toSorted((a, b) => a.id - b.id),
  };
};

test('a server that read every change has the same ETags and bytes as one that starts now', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.array(step, { maxLength: 30 }), { maxLength: 15 }), async batches => {
      const tables: Tables = { revision: 0, features: new Map(), segments: new Map() };
      const old = loadEnvironment(after(tables, 0));
      const scopes = SELECTIONS.map(selection => scopeOf(old, selection));
      const bodies: Promise<void>[] = [];
      for (const batch of batches) {
        for (const one of batch) change(tables, one);
        applyChanges(old, after(tables, old.revision));
        // Not awaited: the next changes arrive while these bodies are compressed.
        for (const scope of scopes)
          bodies.push(checked(gzipBody('features', scope), plainBody('features', scope)));
      }
      await Promise.all(bodies);

      const fresh = loadEnvironment(after(tables, 0));

      for (const selection of SELECTIONS) {
        const [one, other] = [scopeOf(old, selection), scopeOf(fresh, selection)];
        expect(one.etag).toBe(other.etag);
        for (const kind of ['features', 'hydration'] as const) {
          const body = await gzipBody(kind, one);
          expect(body.equals(await gzipBody(kind, other))).toBe(true);
          expect(gunzipSync(body).toString()).toBe(plainBody(kind, other));
        }
      }
    }),
    { numRuns: sized({ usual: 12, long: 600 }) },
  );
});

test('applying the events after any revision results in the newest body', () => {
  fc.assert(
    fc.property(fc.array(step, { minLength: 1, maxLength: 80 }), fc.nat(), (steps, position) => {
      const tables: Tables = { revision: 0, features: new Map(), segments: new Map() };
      const environment = loadEnvironment(after(tables, 0));
      const from = position % steps.length;
      let before: Body[] = SELECTIONS.slice(0, 3).map(() => ({ features: [], segments: [] }));
      for (const [at, one] of steps.entries()) {
        if (at === from)
          before = SELECTIONS.slice(0, 3).map(selection =>
            JSON.parse(plainBody('features', scopeOf(environment, selection))),
          );
        change(tables, one);
        applyChanges(environment, after(tables, environment.revision));
      }

      for (const [at, selection] of SELECTIONS.slice(0, 3).entries()) {
        const scope = scopeOf(environment, selection);
        const events = deltaEvents(scope, environment, from, scope.revision) ?? [];
        const folded = fold(
          before[at] as Body,
          events.map(text => JSON.parse(text)),
        );
        expect(view(folded)).toEqual(view(JSON.parse(plainBody('features', scope))));
      }
    }),
    { numRuns: sized({ usual: 40, long: 2_000 }) },
  );
});

test('a revision without a change in the projects of a scope leaves its ETag as it is', () => {
  const tables: Tables = { revision: 0, features: new Map(), segments: new Map() };
  const put = { kind: 'put' as const, uses: [], segment: 1 };
  change(tables, { ...put, name: 'one', project: 'a' });
  const environment = loadEnvironment(after(tables, 0));
  const holder = makeHolder(environment);
  const scope = scopeIn(holder, { environment: 'x', projects: ['a'], filters: NO_FILTERS, inline: false });
  const { etag } = scope;

  change(tables, { ...put, name: 'two', project: 'b' });
  applyChanges(environment, after(tables, 1));
  holder.version++;
  expect(scope.etag).toBe(etag);

  change(tables, { ...put, name: 'three', project: 'a' });
  applyChanges(environment, after(tables, 2));
  holder.version++;
  expect(scope.revision).toBe(3);
});

test('purged removals no longer count, on a server that has run for a while or has just started', () => {
  const tables: Tables = { revision: 0, features: new Map(), segments: new Map() };
  const one = { name: 'one', project: 'a', uses: [], segment: 1 };
  change(tables, { ...one, kind: 'put' });
  change(tables, { ...one, name: 'two', kind: 'put' });
  change(tables, { ...one, kind: 'remove' });
  const old = loadEnvironment(after(tables, 0));
  expect(scopeOf(old).revision).toBe(3);

  tables.features.delete('a/one');
  applyChanges(old, after(tables, 3, 3));

  expect(scopeOf(old).etag).toBe(scopeOf(loadEnvironment(after(tables, 0, 3))).etag);
  expect(scopeOf(old).revision).toBe(2);
  expect(deltaEvents(scopeOf(old), old, 2, 3)).toBeUndefined();
  expect(deltaEvents(scopeOf(old), old, 3, 3)).toEqual([]);
});

test('a change compresses one chunk, and a filter only the chunks that it cuts', async () => {
  const tables: Tables = { revision: 0, features: new Map(), segments: new Map() };
  for (let number = 0; number < 1_000; number++)
    change(tables, { name: `flag-${number}`, project: 'a', uses: [], segment: 1, kind: 'put' });
  const environment = loadEnvironment(after(tables, 0));
  await gzipBody('features', scopeOf(environment));
  const [before] = [environment.projects[0]?.chunks ?? []];

  change(tables, { name: 'flag-500', project: 'a', uses: [], segment: 1, kind: 'put' });
  applyChanges(environment, after(tables, 1_000));

  const chunks = environment.projects[0]?.chunks ?? [];
  expect(chunks.length).toBeGreaterThanOrEqual(10);
  expect(chunks.every(({ features }) => features.length <= 100)).toBe(true);
  expect(chunks.filter(chunk => !before.includes(chunk))).toHaveLength(1);
  const compressed: string[] = [];
  const count: Compress = (caller, text) => {
    compressed.push(caller);
    return pieceOf(text());
  };
  const selection = { environment: 'x', projects: undefined, inline: false };
  const scopeWith = (namePrefix: string) =>
    scopeIn(makeHolder(environment), { ...selection, filters: { namePrefix, tags: [] } }, '7');
  await gzipBody('features', scopeWith('flag-'), count);
  expect(compressed).toEqual(['']);
  await gzipBody('features', scopeWith('flag-5'), count);
  expect(compressed.slice(1).every(caller => caller === '7')).toBe(true);
  expect(compressed.length).toBeLessThanOrEqual(3);
});
