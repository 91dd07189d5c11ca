import { spawn } from 'node:child_process';

/** Waits until its input ends, then stops the PostgreSQL server in the folder, if the folder still exists. */
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
 * Stops PostgreSQL and removes its folder when this process ends without doing so, for example by kill -9. The operating system
 * closes the guard's input in either case.
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
