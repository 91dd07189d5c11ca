import type { Reader } from '../../platform/db/database.ts';
import { type EventMark, listLastMarks, listMarks } from './store.ts';

/** A promoted standby lacks a few events. A restored snapshot can lack more than these. */
const MAX_MARKS = 10_000;

/** The last events that the streams have passed, so that the server can tell which of them a restored database still has. */
export type Trail = {
  add: (events: readonly EventMark[]) => void;
  /** The id up to which the log is still the one that the streams have passed. `upTo` if none of these events is missing or new. */
  commonWith: (db: Reader, upTo: number) => Promise<number>;
};

/** Begins with the last events up to a position. */
export async function makeTrail(db: Reader, position: number): Promise<Trail> {
  let marks = await listLastMarks(db, position, MAX_MARKS);
  return {
    add: events => {
      marks = [...marks, ...events.map(({ id, groupId }) => ({ id, groupId }))].slice(-MAX_MARKS);
    },
    commonWith: async (reader, upTo) => {
      const from = marks[0]?.id ?? 0;
      const found = await listMarks(reader, { from, to: upTo });
      const at = [...found, undefined].findIndex((mark, n) => !isSame(mark, marks[n]));
      if (at < 0) return upTo;
      const differing = [found[at], marks[at]].flatMap(mark => mark?.id ?? []);
      return Math.min(...differing, upTo + 1) - 1;
    },
  };
}

/** Changes have random group ids, so two events with the same id and group are the same event. */
const isSame = (a: EventMark | undefined, b: EventMark | undefined): boolean =>
  a?.id === b?.id && a?.groupId === b?.groupId;
