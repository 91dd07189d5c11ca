/** What to undo at the end, in reverse order. */
const tasks: (() => Promise<void>)[] = [];
let hasStarted = false;

/** Adds something to undo at the end, no matter how the demo ends. */
export const atEnd = (task: () => Promise<void>): void => {
  tasks.push(task);
};

/** True once the demo is ending. Failures of running work are then expected and not worth reporting. */
export const isEnding = (): boolean => hasStarted;

/** Undoes everything and exits with the code. Only the first call counts. */
export async function end(code: number): Promise<void> {
  if (hasStarted) return;
  hasStarted = true;
  // Work that is still running fails without its database, which is expected.
  for (const event of ['uncaughtException', 'unhandledRejection']) process.on(event, () => {});
  for (const task of tasks.toReversed()) {
    await task().catch((error: Error) => {
      console.error(`Cleanup failed: ${error.message}`);
      process.exitCode = 1;
    });
  }
  process.exit(process.exitCode ?? code);
}
