import { hash } from 'node:crypto';
import type { Feed } from '../snapshot/format.ts';
import { feedKey } from './publisher.ts';

/** On every message: the position of a reader that has applied it. It is not signed, so it only decides what is read next. */
export const POSITION_HEADER = 'Halyard-Position';
/** On a frame: its sequence in the stream. On a snapshot: the sequence of the newest frame that it contains. */
export const SEQUENCE_HEADER = 'Halyard-Sequence';

export type BusNames = {
  id: string;
  /** Subjects. Frames and the snapshot are stored, heads are not. */
  frames: string;
  head: string;
  snapshot: string;
  /** Streams. Each feed has its own, because the right to read a stream is the right to read all of it. */
  framesStream: string;
  snapshotStream: string;
};

/** The names of a feed in NATS. The id is a hash, because names of environments can contain what a subject cannot. */
export function busNames({ environment, projects }: Feed): BusNames {
  const id = hash('sha256', feedKey({ environment, projects: projects?.toSorted() ?? null })).slice(0, 16);
  return {
    id,
    frames: `halyard.${id}.frames`,
    head: `halyard.${id}.head`,
    snapshot: `halyard.${id}.snapshot`,
    framesStream: `HALYARD_${id}_FRAMES`,
    snapshotStream: `HALYARD_${id}_SNAPSHOT`,
  };
}

/** The heads of all feeds. */
export const ALL_HEADS = 'halyard.*.head';

export const directGet = (stream: string): string => `$JS.API.DIRECT.GET.${stream}`;
