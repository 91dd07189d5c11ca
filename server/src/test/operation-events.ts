import type { AnyCommand, Operation } from '../record/operations/definition.ts';

/** The event types that operations recorded, by operation id. */
export type OperationEvents = Record<string, string[]>;

const watchedCommands = new WeakSet<AnyCommand>();
let recordedTypes = new Map<string, Set<string>>();

/**
 * Collects the events that operations record from now on. Throws if an operation records an event that its definition does not
 * list, so every test that runs an operation also checks its definition.
 */
export function watchEvents(operations: Iterable<Operation>): void {
  for (const operation of operations) {
    // A definition is a constant that all servers of this process share.
    if (operation.kind !== 'command' || watchedCommands.has(operation)) continue;
    watchedCommands.add(operation);
    const { id, events, run } = operation;
    const types = new Set<string>(events);
    operation.run = (current, input, context) =>
      run({ ...current, record: event => current.record(recordEvent(id, types, event)) }, input, context);
  }
}

function recordEvent<T extends { type: string }>(id: string, declared: Set<string>, event: T): T {
  if (!declared.has(event.type))
    throw new Error(`Operation ${id} records ${event.type}, which its definition does not list`);
  const types = recordedTypes.get(id) ?? new Set();
  recordedTypes.set(id, types.add(event.type));
  return event;
}

/** Returns the event types that operations have recorded since the last call. */
export function takeEvents(): OperationEvents {
  const events = Object.fromEntries([...recordedTypes].map(([id, types]) => [id, [...types]]));
  recordedTypes = new Map();
  return events;
}
