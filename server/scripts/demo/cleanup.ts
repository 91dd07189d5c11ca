/** What to undo at the end, in reverse order. */
const tasks: (() => Promise<void>)[] = [];
let ending = false;

/** Undo this at the end, however the demo ends. */
export const atEnd = (task: () => Promise<void>): void => {
  tasks.push(task);
};

/** True once the demo is ending, when failures of running work are expected and not worth reporting. */
export const isEnding = (): boolean => ending;

/** Undoes everything and exits with the code. Only the first call counts. */
export async function end(code: number): Promise<void> {
  if (ending) return;
  ending = true;
  // Running work loses its database.
  for (const event of ['uncaughtException', 'unhandledRejection']) process.on(event, () => {});
  for (const task of tasks.toReversed()) {
    await task().catch((error: Error) => {
      console.error(`Clean-up failed: ${error.message}`);
      process.exitCode = 1;
    });
  }
  process.exit(process.exitCode ?? code);
}
