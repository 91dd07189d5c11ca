import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { dropDatabase } from '../../server/src/test/database.ts';
import { withClient } from '../database.ts';
import { dumpState, makeTarget, runImport, startImport } from './command.ts';

/** Selects a number that grows with every batch of an import. */
const WRITTEN_COUNT_QUERY =
  'select (select count(*) from imported) + (select count(*) from events where id < 0) as count';

/**
 * Kills imports into empty databases after they have written a random amount, and repeats them. Returns how many ended with the same
 * result as an uninterrupted import, and how many were killed between the first and the last batch.
 */
export async function killImports(
  source: string,
  rounds: number,
  onRound: (round: number, equal: number) => void,
): Promise<{ equal: number; partial: number }> {
  const { finalState, writtenTotal } = await importUninterrupted(source);
  let [equal, partial] = [0, 0];
  for (let round = 1; round <= rounds; round++) {
    const target = await makeTarget();
    await killImportAfter(target.url, source, Math.floor(Math.random() * writtenTotal));
    const partialState = await dumpState(target.url);
    if (partialState !== '[]' && partialState !== finalState) partial++;
    await runImport(target.url, source, ['--accept']);
    if ((await dumpState(target.url)) === finalState) equal++;
    await dropDatabase(target.name);
    onRound(round, equal);
  }
  return { equal, partial };
}

async function importUninterrupted(source: string): Promise<{ finalState: string; writtenTotal: number }> {
  const target = await makeTarget();
  await runImport(target.url, source, ['--accept']);
  const writtenTotal = await withClient(new URL(target.url), countWritten);
  const finalState = await dumpState(target.url);
  await dropDatabase(target.name);
  return { finalState, writtenTotal };
}

const countWritten = async (client: pg.Client): Promise<number> =>
  Number((await client.query(WRITTEN_COUNT_QUERY)).rows[0].count);

/** Kills an import soon after it has written more than this many rows. The random pause makes the kill hit the middle of a batch. */
async function killImportAfter(target: string, source: string, minWritten: number): Promise<void> {
  await withClient(new URL(target), async client => {
    const child = startImport(target, source, ['--accept']);
    const exit = once(child, 'exit');
    const isRunning = () => child.exitCode === null && child.signalCode === null;
    while (isRunning() && (await countWritten(client)) <= minWritten) await sleep(5);
    await sleep(Math.random() * 50);
    child.kill('SIGKILL');
    await exit;
  });
}
