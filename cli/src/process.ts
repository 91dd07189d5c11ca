// Runs the CLI in this process. The server's `halyard` program calls it for every command that it does not have itself.
import { interruption } from './errors.ts';
import { main } from './main.ts';
import type { OtherCommand } from './parse.ts';

export async function runProcess(otherCommands: OtherCommand[] = []): Promise<void> {
  const { argv, env, stdin, stdout, stderr } = process;
  const controller = new AbortController();
  process.once('SIGINT', () => {
    controller.abort(interruption());
    // A second Ctrl+C ends the process, because some code might ignore the abort signal.
    process.once('SIGINT', () => process.exit(130));
  });
  stdout.on('error', error => {
    if ((error as NodeJS.ErrnoException).code === 'EPIPE') process.exit(0);
  });
  process.exitCode = await main(
    argv.slice(2),
    { env, stdin, stdout, stderr, signal: controller.signal },
    otherCommands,
  );
}
