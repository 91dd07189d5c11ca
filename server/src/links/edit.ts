import { isDeepStrictEqual } from 'node:util';
import type { Actor } from '../actor.ts';
import { change } from '../change.ts';
import type { Db } from '../db/database.ts';
import { exceedsLimit, notFound } from '../errors.ts';
import { holdActiveFeature } from '../features/load.ts';
import type { Feature } from '../features/schema.ts';
import { acceptLink } from './accept.ts';
import type { FeatureLink, LinkInput } from './schema.ts';
import { deleteLink, insertLink, updateLink } from './store.ts';

const MAX_LINKS = 10;

export async function addLink(
  db: Db,
  actor: Actor,
  project: string,
  featureName: string,
  input: LinkInput,
): Promise<FeatureLink> {
  const link = acceptLink(input);
  return await change(db, actor, async ({ tx, record }) => {
    const { links } = await holdActiveFeature(tx, actor, project, featureName);
    if (links.length >= MAX_LINKS) throw exceedsLimit(`A feature has at most ${MAX_LINKS} links.`);
    const added = { id: await insertLink(tx, featureName, link), ...link };
    record({ type: 'feature-link-added', project, featureName, data: added });
    return added;
  });
}

/** Changes the address, and the title if it is given; changing nothing writes nothing. */
export async function changeLink(
  db: Db,
  actor: Actor,
  project: string,
  featureName: string,
  id: string,
  input: LinkInput,
): Promise<FeatureLink> {
  const { url, title } = acceptLink(input);
  return await change(db, actor, async ({ tx, record }) => {
    const before = linkOf(await holdActiveFeature(tx, actor, project, featureName), id);
    const after = { id, url, title: input.title === undefined ? before.title : title };
    if (isDeepStrictEqual(after, before)) return before;
    await updateLink(tx, after);
    record({ type: 'feature-link-updated', project, featureName, data: after, preData: before });
    return after;
  });
}

export async function removeLink(
  db: Db,
  actor: Actor,
  project: string,
  featureName: string,
  id: string,
): Promise<void> {
  await change(db, actor, async ({ tx, record }) => {
    const link = linkOf(await holdActiveFeature(tx, actor, project, featureName), id);
    await deleteLink(tx, id);
    record({ type: 'feature-link-removed', project, featureName, preData: link });
  });
}

function linkOf({ links }: Feature, id: string): FeatureLink {
  const link = links.find(one => one.id === id);
  if (!link) throw notFound(`Link ${id}`);
  return link;
}
