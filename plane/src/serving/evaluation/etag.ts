import { hash } from 'node:crypto';
import { readEntityTags } from '../../platform/http/output/entity-tag.ts';
import type { EvaluationContext } from './context.ts';
import type { Evaluator } from './evaluator.ts';
import { isRepeatable, spanOf } from './traits.ts';

/**
 * `position.span.context`, where the position is `epoch.scope.revision`. Results that are not repeatable add a hash of their body.
 * Some proxies add `-gzip`.
 */
const TAG =
  /^([0-9a-z]{1,50}\.[0-9a-z]{1,50})\.([0-9]{1,10})\.([0-9]{1,10})\.([\w-]{22})(\.[\w-]{22})?(?:-gzip)?$/;

/** The results of a context that a client has, by its If-None-Match. */
type Presented = { etag: string; scope: string; revision: number; span: number; context: string };

export function etagOf({ position, traits }: Evaluator, context: EvaluationContext, body: Buffer): string {
  const results = `${position}.${spanOf(traits, context)}.${context.hash}`;
  if (isRepeatable(traits, context)) return `"${results}"`;
  return `"${results}.${hash('sha256', body, 'base64url').slice(0, 22)}"`;
}

/**
 * The tag of the results that the client has, if they are still valid, or come from a newer revision on another server. Only a
 * tag of the same context counts: a browser sends the tag of the previous user.
 */
export function currentTag(
  header: string | undefined,
  evaluator: Evaluator,
  context: EvaluationContext,
): string | undefined {
  const place = evaluator.position.lastIndexOf('.');
  const scope = evaluator.position.slice(0, place);
  const revision = Number(evaluator.position.slice(place + 1));
  const own = presentedTags(header).filter(one => one.scope === scope && one.context === context.hash);
  const newer = own.find(one => one.revision > revision);
  if (newer) return newer.etag;
  if (!isRepeatable(evaluator.traits, context)) return undefined;
  const span = spanOf(evaluator.traits, context);
  return own.find(one => one.revision === revision && one.span === span)?.etag;
}

/** Whether the client has exactly this response. */
export const hasTag = (header: string | undefined, etag: string): boolean =>
  presentedTags(header).some(one => one.etag === etag);

function presentedTags(header: string | undefined): Presented[] {
  return readEntityTags(header).tags.flatMap(({ opaque }) => {
    const [, scope, revision, span, context, body = ''] = TAG.exec(opaque) ?? [];
    if (scope === undefined || context === undefined) return [];
    const etag = `"${scope}.${revision}.${span}.${context}${body}"`;
    return [{ etag, scope, revision: Number(revision), span: Number(span), context }];
  });
}
