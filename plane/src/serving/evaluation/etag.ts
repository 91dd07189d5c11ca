import { hash } from 'node:crypto';
import { readEntityTags } from '../../platform/http/output/entity-tag.ts';
import type { EvaluationContext } from './context.ts';
import type { Evaluator } from './evaluator.ts';
import { findSpanNumber, isRepeatable } from './traits.ts';

/**
 * `position.span.context`, where the position is `epoch.scope.revision`. Results that are not repeatable add a hash of their body.
 * Some proxies add `-gzip`.
 */
const TAG =
  /^([0-9a-z]{1,50}\.[0-9a-z]{1,50})\.([0-9]{1,10})\.([0-9]{1,10})\.([\w-]{22})(\.[\w-]{22})?(?:-gzip)?$/;

/** The results that a client already has for a context, according to its If-None-Match header. */
type PresentedTag = { etag: string; scope: string; revision: number; span: number; context: string };

export function computeEtag(
  { position, traits }: Evaluator,
  context: EvaluationContext,
  body: Buffer,
): string {
  const results = `${position}.${findSpanNumber(traits, context)}.${context.hash}`;
  if (isRepeatable(traits, context)) return `"${results}"`;
  return `"${results}.${hash('sha256', body, 'base64url').slice(0, 22)}"`;
}

/**
 * Returns the tag of the results that the client has, if they are still valid or come from a newer revision on another server.
 * Only a tag for the same context counts, because a browser can send the tag of its previous user.
 */
export function findCurrentTag(
  header: string | undefined,
  evaluator: Evaluator,
  context: EvaluationContext,
): string | undefined {
  const separatorIndex = evaluator.position.lastIndexOf('.');
  const scope = evaluator.position.slice(0, separatorIndex);
  const revision = Number(evaluator.position.slice(separatorIndex + 1));
  const matchingTags = readPresentedTags(header).filter(
    tag => tag.scope === scope && tag.context === context.hash,
  );
  const newerTag = matchingTags.find(tag => tag.revision > revision);
  if (newerTag) return newerTag.etag;
  if (!isRepeatable(evaluator.traits, context)) return undefined;
  const span = findSpanNumber(evaluator.traits, context);
  return matchingTags.find(tag => tag.revision === revision && tag.span === span)?.etag;
}

/** Whether the client has exactly this response. */
export const hasTag = (header: string | undefined, etag: string): boolean =>
  readPresentedTags(header).some(tag => tag.etag === etag);

function readPresentedTags(header: string | undefined): PresentedTag[] {
  return readEntityTags(header).tags.flatMap(({ opaque }) => {
    const [, scope, revision, span, context, body = ''] = TAG.exec(opaque) ?? [];
    if (scope === undefined || context === undefined) return [];
    const etag = `"${scope}.${revision}.${span}.${context}${body}"`;
    return [{ etag, scope, revision: Number(revision), span: Number(span), context }];
  });
}
