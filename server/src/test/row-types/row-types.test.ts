import { fileURLToPath } from 'node:url';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { useHarness } from '../harness.ts';
import { type Annotation, openSources } from './annotations.ts';
import { compare, isRow } from './compare.ts';
import { PLANTED } from './planted.ts';
import { type Recording, takeRecording } from './recorder.ts';
import { countMissing, readRecordings } from './saved-recordings.ts';
import { countValues, emptyShape, merge } from './shape.ts';

const ROOT = fileURLToPath(new URL('../../../../', import.meta.url));

const harness = useHarness();
const sources = openSources(ROOT);
afterAll(() => sources.close());

/** The names of nullable columns, by table oid and column number. */
let nullableColumns: Map<string, string>;
beforeAll(async () => {
  const { rows } = await sql<{ column: string; name: string }>`
    select attrelid || '.' || attnum as column, attname as name from pg_attribute
    where attnum > 0 and not attnotnull`.execute(harness.db);
  nullableColumns = new Map(rows.map(row => [row.column, row.name]));
});

const annotations = sources.listAnnotations(
  path =>
    path.startsWith('server/src/') && !path.startsWith('server/src/test/') && !path.endsWith('.test.ts'),
);
const recording = mergeAll(readRecordings().map(({ rows }) => rows));

test('every statement returns what its annotation declares', () => {
  expect(findProblems(annotations, recording)).toEqual([]);
});

test('every annotated statement returns a row in a test', ({ skip }) => {
  const missingFiles = countMissing();
  skip(missingFiles > 0, `${missingFiles} test files did not run`);
  const rowAnnotations = annotations.filter(({ type, isColumn }) => isColumn || isRow(sources.checker, type));
  const untestedAnnotations = rowAnnotations.filter(
    ({ key }) => countValues(recording[key] ?? emptyShape()) === 0,
  );

  expect(untestedAnnotations.map(({ location }) => location)).toEqual([]);
});

test('no two statements have the same text, which identifies their results', () => {
  const statements = annotations.filter(({ type }) => isRow(sources.checker, type));
  const duplicateStatements = statements.filter(statement =>
    statements.some(other => other !== statement && other.key === statement.key),
  );

  expect(duplicateStatements.map(({ location }) => location)).toEqual([]);
});

test.each(Object.entries(PLANTED))('finds a wrong annotation: %s', async (_, { run, problem }) => {
  takeRecording();
  await run(harness.db);

  const plantedAnnotations = sources.listAnnotations(path => path === 'server/src/test/row-types/planted.ts');

  expect(findProblems(plantedAnnotations, takeRecording())).toEqual([expect.stringContaining(problem)]);
});

function findProblems(annotated: Annotation[], seen: Recording): string[] {
  return annotated.flatMap(({ key, location, type }) => {
    const isNullable = (column: string): boolean => {
      const name = nullableColumns.get(column);
      return name !== undefined && !key.includes(`${name} is not null`);
    };
    const shape = seen[key];
    return shape ? compare(sources.checker, type, shape, isNullable).map(text => `${location}: ${text}`) : [];
  });
}

function mergeAll(all: Recording[]): Recording {
  const mergedRecording: Recording = {};
  for (const nextRecording of all) {
    for (const [key, shape] of Object.entries(nextRecording)) {
      mergedRecording[key] ??= emptyShape();
      merge(mergedRecording[key], shape);
    }
  }
  return mergedRecording;
}
