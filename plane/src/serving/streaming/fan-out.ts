import type { Group, Stream } from './stream.ts';

/** The share of CPU time that fan-outs may use in the long run. The rest is for polls and for the admin API. */
const SHARE = 0.2;
/** Credit saved up while idle lets a change reach all streams without delay: 20,000 streams take about 250 ms of CPU time. */
const MAX_CREDIT_MS = 400;
/** The server handles other requests between slices. */
const SLICE_MS = 5;
/** The number of visits between two looks at the clock. Reading the clock for every stream would take noticeable CPU time. */
const VISITS_PER_CLOCK = 16;

/** CPU time rather than elapsed time, because on a busy machine a slice can take a long time without computing much. */
function cpuMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
}

export type FanOut = {
  /** Schedules a visit to every stream of the group. */
  add: (group: Group) => void;
  stop: () => void;
};

/**
 * Visits the streams of changed groups, in slices. Each visit sends everything the stream lacks, so changes that
 * arrive faster than the rounds are sent together.
 */
export function makeFanOut(visit: (stream: Stream) => void, onComplete: (group: Group) => void): FanOut {
  const changed = new Set<Group>();
  let credit = MAX_CREDIT_MS;
  let creditedAt = performance.now();
  let isScheduled = false;
  let isStopped = false;

  const add = (group: Group): void => {
    group.isChanged = true;
    if (!changed.has(group)) group.changedAt = performance.now();
    changed.add(group);
    schedule();
  };

  const schedule = (): void => {
    if (isScheduled || isStopped || changed.size === 0) return;
    isScheduled = true;
    addCredit();
    if (credit > 0) setImmediate(runSlice);
    else setTimeout(runSlice, Math.ceil(-credit / SHARE));
  };

  const addCredit = (): void => {
    const now = performance.now();
    credit = Math.min(MAX_CREDIT_MS, credit + (now - creditedAt) * SHARE);
    creditedAt = now;
  };

  const runSlice = (): void => {
    isScheduled = false;
    if (isStopped) return;
    const startedAt = cpuMs();
    const deadline = performance.now() + SLICE_MS;
    for (const group of changed) {
      const isComplete = continueRound(group, deadline);
      changed.delete(group);
      if (isComplete) onComplete(group);
      // Moves to the end of the set, so that a large group does not delay the others.
      else changed.add(group);
      if (performance.now() >= deadline) break;
    }
    credit -= cpuMs() - startedAt;
    schedule();
  };

  /** Returns whether all streams of the group were visited since its last change. */
  const continueRound = (group: Group, deadline: number): boolean => {
    for (let visits = 1; ; visits++) {
      if (group.unvisited === undefined) {
        if (!group.isChanged) return true;
        group.isChanged = false;
        group.unvisited = group.streams.values();
      }
      const { value, done } = group.unvisited.next();
      if (done === true) group.unvisited = undefined;
      else visit(value);
      if (visits % VISITS_PER_CLOCK === 0 && performance.now() >= deadline) return false;
    }
  };

  return {
    add,
    stop: () => {
      isStopped = true;
    },
  };
}
