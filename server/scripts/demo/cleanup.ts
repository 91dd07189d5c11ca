/** The cleanup tasks. The last one runs first. */
const tasks: (() => Promise<void>)[] = [];
let hasStarted = false;

/** Registers a cleanup task, which runs however the demo ends, except after SIGKILL. */
export const atEnd = (task: () => Promise<void>): void => {
  tasks.push(task);
};

/** Returns whether the demo is ending. By then, running work is expected to fail, so failures are not reported. */
export const isEnding = (): boolean => hasStarted;

/** Runs all cleanup tasks and exits with the code. Later calls do nothing. */
export async function end(code: number): Promise<void> {
  if (hasStarted) return;
  hasStarted = true;
  // Running work is expected to fail once its database is gone.
  for (const event of ['uncaughtException', 'unhandledRejection']) process.on(event, () => {});
  for (const task of tasks.toReversed()) {
    await task().catch((error: Error) => {
      console.error(`Cleanup failed: ${error.message}`);
      process.exitCode = 1;
    });
  }
  process.exit(process.exitCode ?? code);
}
