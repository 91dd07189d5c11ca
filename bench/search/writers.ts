import { setTimeout as sleep } from 'node:timers/promises';
import { type Actor, SYSTEM } from '../../server/src/platform/actor.ts';
import { type Db, openDb } from '../../server/src/platform/db/database.ts';
import { change, type NewEvent } from '../../server/src/record/change.ts';
import { PROFILES } from '../events/profiles.ts';
import { type Random, sentences, strategy } from '../events/text.ts';

export type Writers = {
  /** Waits until no transaction is open. */
  pause: () => Promise<void>;
  resume: () => void;
  written: () => number;
  stop: () => Promise<void>;
};

/** A new event like the loaded ones. */
export function newEvent(random: Random): NewEvent {
  const { type, project, environment, feature } = PROFILES.skewed.place(random, 1);
  const state = { name: feature ?? 'instance', at: new Date().toISOString(), variants: 0, sentences: '' };
  const text = sentences(random, Math.floor(random() * 20_000), 20_000);
  return {
    type: type as NewEvent['type'],
    project: project ?? null,
    environment: environment ?? null,
    featureName: feature ?? null,
    data: JSON.parse(strategy(random, { ...state, sentences: text })) as object,
    preData: random() < 0.45 ? (JSON.parse(strategy(random, state)) as object) : null,
  };
}

const ROLLED_BACK = new Error('rolled back on purpose');

/** Inserts events in small transactions. Some of them stay open for a while, and some are rolled back. */
export function startWriters(url: URL, writers: number, random: Random): Writers {
  const db = openDb({ url: url.href, poolSize: writers, onError: console.error });
  let [written, open, stopped] = [0, 0, false];
  let gate = Promise.withResolvers<void>();
  gate.resolve();
  const work = async () => {
    while (!stopped) {
      await gate.promise;
      open++;
      const count = await write(db, random);
      written += count;
      open--;
      await sleep(random() * 250);
    }
  };
  const running = Array.from({ length: writers }, work);
  const pause = async () => {
    gate = Promise.withResolvers();
    do await sleep(1);
    while (open > 0);
  };
  return {
    pause,
    resume: () => gate.resolve(),
    written: () => written,
    stop: async () => {
      stopped = true;
      gate.resolve();
      await Promise.all(running);
      await db.destroy();
    },
  };
}

/** Returns how many events were committed. */
async function write(db: Db, random: Random): Promise<number> {
  const count = random() < 0.005 ? 500 : 1 + Math.floor(random() * 5);
  const user = PROFILES.skewed.place(random, 1).user;
  const actor: Actor = { ...SYSTEM, kind: 'user', userId: user, name: `user-${user}`, ip: '192.0.2.1' };
  try {
    await change(
      db,
      actor,
      async ({ record }) => {
        for (let n = 0; n < count; n++) record(newEvent(random));
      },
      async () => {
        if (random() < 0.1) await sleep(random() * 300);
        if (random() < 0.05) throw ROLLED_BACK;
      },
    );
    return count;
  } catch (error) {
    if (error === ROLLED_BACK) return 0;
    throw error;
  }
}
