import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { dropDatabase } from '../../server/src/test/database.ts';
import { withClient } from '../database.ts';
import { makeTarget, run, start, stateOf } from './command.ts';

/** Grows with every batch of an import. */
const WRITTEN =
  'select (select count(*) from imported) + (select count(*) from events where id < 0) as count';

/**
 * Kills imports into empty databases after a random amount of writing, and repeats them. Returns how many ended with the same
 * result as an uninterrupted import, and how many were killed between the first and the last batch.
 */
export async function killImports(
  from: string,
  rounds: number,
  onRound: (round: number, equal: number) => void,
): Promise<{ equal: number; partial: number }> {
  const { whole, total } = await importWhole(from);
  let [equal, partial] = [0, 0];
  for (let round = 1; round <= rounds; round++) {
    const target = await makeTarget();
    await killAfter(target.url, from, Math.floor(Math.random() * total));
    const left = await stateOf(target.url);
    if (left !== '[]' && left !== whole) partial++;
    await run(target.url, from, ['--accept']);
    if ((await stateOf(target.url)) === whole) equal++;
    await dropDatabase(target.name);
    onRound(round, equal);
  }
  return { equal, partial };
}

async function importWhole(from: string): Promise<{ whole: string; total: number }> {
  const target = await makeTarget();
  await run(target.url, from, ['--accept']);
  const total = await withClient(new URL(target.url), countWritten);
  const whole = await stateOf(target.url);
  await dropDatabase(target.name);
  return { whole, total };
}

const countWritten = async (client: pg.Client): Promise<number> =>
  Number((await client.query(WRITTEN)).rows[0].count);

/** Kills an import soon after it has written this much. The pause lets it get into the middle of a batch. */
async function killAfter(target: string, from: string, written: number): Promise<void> {
  await withClient(new URL(target), async client => {
    const child = start(target, from, ['--accept']);
    const exited = once(child, 'exit');
    const isRunning = () => child.exitCode === null && child.signalCode === null;
    while (isRunning() && (await countWritten(client)) <= written) await sleep(5);
    await sleep(Math.random() * 50);
    child.kill('SIGKILL');
    await exited;
  });
}
