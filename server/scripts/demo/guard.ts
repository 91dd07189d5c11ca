import { spawn } from 'node:child_process';

/** Waits until its input ends. Then, if the folder still exists, stops the PostgreSQL server in it and removes it. */
const SCRIPT = `cat > /dev/null
[ -d "$1" ] || exit 0
pid=$(head -n 1 "$1/data/postmaster.pid" 2> /dev/null)
[ -z "$pid" ] || kill -INT "$pid" 2> /dev/null
for _ in 1 2 3 4 5 6 7 8 9 10; do
  [ -n "$pid" ] && kill -0 "$pid" 2> /dev/null || break
  sleep 0.5
done
rm -rf "$1"`;

/**
 * Starts a process that stops PostgreSQL and removes its folder if this process cannot do so itself, for example after kill -9. The
 * guard notices that this process has ended, because the operating system closes the guard's input.
 */
export function guard(folder: string): void {
  const child = spawn('sh', ['-c', SCRIPT, 'halyard-demo-guard', folder], {
    cwd: '/',
    // In a separate process group, so that a signal to the demo's group does not stop the guard.
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  // Without a guard, the demo still works.
  child.on('error', () => {});
  child.stdin.on('error', () => {});
  child.unref();
}
