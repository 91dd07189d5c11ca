import { createTag, createTagType } from '../flags/tags/create.ts';
import type { NewTagType } from '../flags/tags/schema.ts';
import { SYSTEM } from '../platform/actor.ts';
import { change } from '../record/change.ts';
import type { Harness } from './harness.ts';
import { call } from './request.ts';

/** Creates tags and tag types, and searches their events. */
export const tagRequests = (harness: Harness) => ({
  makeType: (fields: NewTagType) => change(harness.db, SYSTEM, current => createTagType(current, fields)),
  makeTag: (type: string, value: string) =>
    change(harness.db, SYSTEM, current => createTag(current, { type, value })),
  readEvents: async (text: string) => {
    const query = encodeURIComponent(`"${text}"`);
    return (await call(harness.app, 'GET', `/api/admin/search/events?query=${query}`)).body.events;
  },
});

export const getErrorPaths = (response: { body: { details: { path: string }[] } }) =>
  response.body.details.map(detail => detail.path).toSorted();
