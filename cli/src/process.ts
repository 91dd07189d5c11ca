// Runs the words of this process. The server's program `halyard` calls this for every command that is not its own.
import { interrupted } from './errors.ts';
import { main } from './main.ts';
import type { OtherCommand } from './parse.ts';

export async function runProcess(others: OtherCommand[] = []): Promise<void> {
  const { argv, env, stdin, stdout, stderr } = process;
  const interruption = new AbortController();
  process.once('SIGINT', () => {
    interruption.abort(interrupted());
    // A second Ctrl+C, or code that does not listen to the signal, ends the process.
    process.once('SIGINT', () => process.exit(130));
  });
  stdout.on('error', error => {
    if ((error as NodeJS.ErrnoException).code === 'EPIPE') process.exit(0);
  });
  process.exitCode = await main(
    argv.slice(2),
    { env, stdin, stdout, stderr, signal: interruption.signal },
    others,
  );
}
