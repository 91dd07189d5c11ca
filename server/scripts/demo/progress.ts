/**
 * Prints a line for each step with its duration. In a terminal, or with `announce`, it also prints a line when the step
 * begins.
 */
export async function step<T>(label: string, work: () => Promise<T>, announce = false): Promise<T> {
  const startedAt = performance.now();
  const { isTTY } = process.stdout;
  if (isTTY) process.stdout.write(`  … ${label}`);
  else if (announce) process.stdout.write(`  … ${label}\n`);
  const result = await work();
  const seconds = ((performance.now() - startedAt) / 1_000).toFixed(1);
  process.stdout.write(`${isTTY ? '\r' : ''}  ✓ ${label}  ${seconds} s\n`);
  return result;
}
