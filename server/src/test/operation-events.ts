import type { AnyCommand, Operation } from '../record/operations/definition.ts';

/** The event types that operations recorded, by operation id. */
export type OperationEvents = Record<string, string[]>;

const watched = new WeakSet<AnyCommand>();
let recorded = new Map<string, Set<string>>();

/**
 * Collects the events that operations record from now on. An event that the definition does not list is an error, so that every
 * test that runs the operation fails.
 */
export function watchEvents(operations: Iterable<Operation>): void {
  for (const operation of operations) {
    // A definition is a constant that all servers of this process share.
    if (operation.kind !== 'command' || watched.has(operation)) continue;
    watched.add(operation);
    const { id, events, run } = operation;
    const types = new Set<string>(events);
    operation.run = (current, input, context) =>
      run({ ...current, record: event => current.record(noted(id, types, event)) }, input, context);
  }
}

function noted<T extends { type: string }>(id: string, declared: Set<string>, event: T): T {
  if (!declared.has(event.type))
    throw new Error(`Operation ${id} records ${event.type}, which its definition does not list`);
  const types = recorded.get(id) ?? new Set();
  recorded.set(id, types.add(event.type));
  return event;
}

/** What operations recorded since the last call. */
export function takeEvents(): OperationEvents {
  const taken = Object.fromEntries([...recorded].map(([id, types]) => [id, [...types]]));
  recorded = new Map();
  return taken;
}
