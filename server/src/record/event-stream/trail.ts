import type { Reader } from '../../platform/db/database.ts';
import { type EventMark, listLastMarks, listMarks } from './store.ts';

/** Enough for a promoted standby, which lacks a few events. A restored snapshot can lack more. */
const MAX_MARKS = 10_000;

/** The last events that the streams have passed, kept to find out which of them are still in a restored database. */
export type Trail = {
  add: (events: readonly EventMark[]) => void;
  /**
   * Returns the id up to which the log still matches what the streams have passed. It is `lastId` if none of these events is
   * missing or new.
   */
  findCommonPosition: (db: Reader, lastId: number) => Promise<number>;
};

/** Creates a trail that starts with the last events up to a position. */
export async function makeTrail(db: Reader, position: number): Promise<Trail> {
  let marks = await listLastMarks(db, position, MAX_MARKS);
  return {
    add: events => {
      marks = [...marks, ...events.map(({ id, groupId }) => ({ id, groupId }))].slice(-MAX_MARKS);
    },
    findCommonPosition: async (reader, lastId) => {
      const firstId = marks[0]?.id ?? 0;
      const currentMarks = await listMarks(reader, { firstId, lastId });
      const index = [...currentMarks, undefined].findIndex((mark, n) => !isSame(mark, marks[n]));
      if (index < 0) return lastId;
      const differingIds = [currentMarks[index], marks[index]].flatMap(mark => mark?.id ?? []);
      return Math.min(...differingIds, lastId + 1) - 1;
    },
  };
}

/** Changes have random group ids, so two events with the same id and group are the same event. */
const isSame = (a: EventMark | undefined, b: EventMark | undefined): boolean =>
  a?.id === b?.id && a?.groupId === b?.groupId;
