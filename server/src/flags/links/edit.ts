import { randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { exceedsLimit, notFound } from '@halyard/plane/platform/errors.ts';
import type { Tx } from '../../platform/db/database.ts';
import type { Change } from '../../record/change.ts';
import { lockActiveFeature } from '../feature-rows/lock.ts';
import type { FeatureLink, LinkInput } from './schema.ts';
import { deleteLink, insertLinks, listLinks, updateLink } from './store.ts';
import { validateLink } from './validate.ts';

const MAX_LINKS = 10;

export async function addLink(
  current: Change,
  project: string,
  featureName: string,
  input: LinkInput,
): Promise<FeatureLink> {
  const link = validateLink(input, '/body');
  await lockActiveFeature(current.tx, project, featureName);
  const feature = { name: featureName, project, links: await listLinks(current.tx, featureName) };
  const [addedLink] = await attachLinks(current, [{ feature, links: [link] }]);
  if (!addedLink) throw new Error('The added link was not returned');
  return addedLink;
}

/** A feature and its links. */
type LinkedFeature = { name: string; project: string; links: FeatureLink[] };

/** Adds links to features. The caller must have validated the links and locked the features. */
export async function attachLinks(
  { tx, record }: Change,
  additions: { feature: LinkedFeature; links: Omit<FeatureLink, 'id'>[] }[],
): Promise<FeatureLink[]> {
  const fullFeature = additions.find(({ feature, links }) => feature.links.length + links.length > MAX_LINKS);
  if (fullFeature) throw exceedsLimit(`A feature can have at most ${MAX_LINKS} links.`);
  const newLinks = additions.flatMap(({ feature, links }) =>
    links.map(link => ({ feature, link: { id: randomUUID(), ...link } })),
  );
  if (newLinks.length === 0) return [];
  await insertLinks(
    tx,
    newLinks.map(({ feature, link }) => ({ featureName: feature.name, ...link })),
  );
  for (const { feature, link } of newLinks)
    record({ type: 'feature-link-added', project: feature.project, featureName: feature.name, data: link });
  return newLinks.map(({ link }) => link);
}

/** Changes the URL, and the title if it is given. An update that changes nothing writes nothing. */
export async function changeLink(
  { tx, record }: Change,
  project: string,
  featureName: string,
  id: string,
  input: LinkInput,
): Promise<FeatureLink> {
  const { url, title } = validateLink(input, '/body');
  const linkBefore = await findLockedLink(tx, project, featureName, id);
  const linkAfter = { id, url, title: input.title === undefined ? linkBefore.title : title };
  if (isDeepStrictEqual(linkAfter, linkBefore)) return linkBefore;
  await updateLink(tx, linkAfter);
  record({ type: 'feature-link-updated', project, featureName, data: linkAfter, preData: linkBefore });
  return linkAfter;
}

export async function removeLink(
  { tx, record }: Change,
  project: string,
  featureName: string,
  id: string,
): Promise<void> {
  const link = await findLockedLink(tx, project, featureName, id);
  await deleteLink(tx, id);
  record({ type: 'feature-link-removed', project, featureName, preData: link });
}

async function findLockedLink(
  tx: Tx,
  project: string,
  featureName: string,
  id: string,
): Promise<FeatureLink> {
  await lockActiveFeature(tx, project, featureName);
  const link = (await listLinks(tx, featureName)).find(candidate => candidate.id === id);
  if (!link) throw notFound(`Link ${id}`);
  return link;
}
