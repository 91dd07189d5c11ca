// Tests the editor with random sequences of edits, lost responses, restarts, concurrent edits and ended sessions (npm run campaign:console).
import { setTimeout as sleep } from 'node:timers/promises';
import fc from 'fast-check';
import { readOptions } from '../../../server/src/platform/command-line.ts';
import { setup as bundleServer, teardown as removeBundle } from '../../../server/src/test/server-bundle.ts';
import { buildConsole } from '../support/build.ts';
import { type Problem, runSequence, STEPS, type Step } from './sequence.ts';
import { startWorld } from './world.ts';

const options = readOptions({
  run: 'npm run campaign:console',
  does: 'Edits a strategy in a real browser while responses are lost, the server restarts, other users edit and sessions end, and compares the page with a model.',
  options: {
    sequences: { type: 'string', default: '200', meaning: 'Number of sequences' },
    steps: { type: 'string', default: '8', meaning: 'Number of steps in each sequence' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000), meaning: 'Seed of the run to repeat' },
  },
});

const count = Number(options.sequences);
const length = Number(options.steps);
const [sequences] = fc.sample(
  fc.array(
    fc.array(fc.constantFrom<Step>(...STEPS, 'edit', 'edit', 'save'), {
      minLength: length,
      maxLength: length,
    }),
    {
      minLength: count,
      maxLength: count,
    },
  ),
  { seed: Number(options.seed), numRuns: 1 },
);

await buildConsole();
await bundleServer({ onTestsRerun: () => {} });
const world = await startWorld();
const allProblems: (Problem & { sequence: number; steps: readonly Step[] })[] = [];
const stepCounts: Record<string, number> = {};
try {
  for (const [sequence, steps] of (sequences ?? []).entries()) {
    const problems = await runSequence(world, steps).catch(async error => {
      await sleep(1000);
      return [{ step: -1, description: String(error) }];
    });
    for (const step of steps) stepCounts[step] = (stepCounts[step] ?? 0) + 1;
    allProblems.push(...problems.map(problem => ({ ...problem, sequence, steps })));
    if (problems.length > 0) console.log(`Sequence ${sequence}: ${steps.join(' → ')}`, problems);
    if ((sequence + 1) % 5 === 0) console.log(`${sequence + 1} sequences, ${allProblems.length} problems`);
  }
} finally {
  await world.stop();
  removeBundle();
}
console.log({ seed: options.seed, sequences: count, steps: stepCounts, problems: allProblems.length });
process.exitCode = allProblems.length > 0 ? 1 : 0;
