import { hash } from 'node:crypto';
import type { Feed } from '../snapshot/format.ts';
import { feedKey } from './publisher.ts';

/** The position that a reader reaches by applying the message. It is not signed, so it is used only to decide what to read next. */
export const POSITION_HEADER = 'Halyard-Position';
/** A frame has its own sequence number in the stream, and a snapshot has that of the newest frame it contains. */
export const SEQUENCE_HEADER = 'Halyard-Sequence';

export type BusNames = {
  id: string;
  /** Subjects. Frames and the snapshot are stored, heads are not. */
  frames: string;
  head: string;
  snapshot: string;
  /** Streams. Each feed has its own, because permission to read a stream covers all of it. */
  framesStream: string;
  snapshotStream: string;
};

/** Returns a feed's names in NATS. The id is a hash, because environment names can contain characters that a subject cannot. */
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
