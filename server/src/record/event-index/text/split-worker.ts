// Runs in a thread of its own: to split the texts of a chunk takes seconds.

import { parentPort } from 'node:worker_threads';
import { makeCollector } from './collect.ts';
import type { TextPosting } from './posting.ts';
import type { PostingColumns, TextOfEvent } from './store.ts';

/** Texts to add, or the request for the next batch of postings. */
export type ToWorker = { texts: TextOfEvent[] } | { next: number };

const collector = makeCollector();
let postings: Iterator<TextPosting> | undefined;

parentPort?.on('message', (message: ToWorker) => {
  if ('texts' in message) {
    for (const { position, text } of message.texts) collector.add(position, text);
    parentPort?.postMessage(undefined);
  } else {
    postings ??= collector.postings();
    parentPort?.postMessage(takeBatch(postings, message.next));
  }
});

/** The next postings, of that many bytes or a few more. Without any after the last one. */
function takeBatch(postings: Iterator<TextPosting>, bytes: number): PostingColumns {
  const batch: PostingColumns = { dimensions: [], values: [], counts: [], positions: [] };
  for (let size = 0; size < bytes; ) {
    const { value, done } = postings.next();
    if (done) break;
    batch.dimensions.push(value.dimension);
    batch.values.push(value.value);
    batch.counts.push(value.count);
    batch.positions.push(value.positions);
    size += value.positions.length + value.value.length + 20;
  }
  return batch;
}
