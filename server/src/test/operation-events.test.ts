import { expect, test } from 'vitest';
import type { Change } from '../record/change.ts';
import type { AnyCommand, Operation } from '../record/operations/definition.ts';
import { useHarness } from './harness.ts';
import { takeEvents, watchEvents } from './operation-events.ts';
import { countMissing, readRecordings } from './row-types/saved-recordings.ts';

const harness = useHarness();

const isCommand = (operation: Operation): operation is AnyCommand => operation.kind === 'command';

test('every event that an operation declares is recorded in a test', ({ skip }) => {
  const missingFiles = countMissing();
  skip(missingFiles > 0, `${missingFiles} test files did not run`);
  const recordedTypes = new Set(
    readRecordings().flatMap(({ events }) =>
      Object.entries(events).flatMap(([id, types]) => types.map(type => `${id}: ${type}`)),
    ),
  );
  const declaredTypes = [...harness.app.operations.values()]
    .filter(isCommand)
    .flatMap(({ id, events }) => events.map(type => `${id}: ${type}`));

  expect(declaredTypes.filter(type => !recordedTypes.has(type))).toEqual([]);
});

test('recording an event that the operation does not declare is an error', async () => {
  const types: string[] = [];
  const plantedOperation = {
    kind: 'command',
    id: 'planted',
    events: ['project-updated'],
    run: async ({ record }: Change, { body: type }: { body: 'project-updated' | 'project-archived' }) =>
      record({ type, project: 'default' }),
  } as unknown as AnyCommand;
  const current = { record: ({ type }: { type: string }) => types.push(type) } as unknown as Change;
  const context = {} as Parameters<AnyCommand['run']>[2];

  watchEvents([plantedOperation]);
  const run = async (body: string) =>
    await plantedOperation.run(current, { params: {}, query: {}, body }, context);
  await run('project-updated');
  await expect(run('project-archived')).rejects.toThrow(
    'Operation planted records project-archived, which its definition does not list',
  );

  expect(types).toEqual(['project-updated']);
  expect(takeEvents().planted).toEqual(['project-updated']);
});
