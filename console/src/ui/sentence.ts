import type { Search } from './search.ts';
import { getStrategyLabel } from './strategy-names.ts';

/** The subject that a part of a sentence names and can link to. */
export type SentenceRef = { kind: string; id: string; project?: string };
export type SentencePart = { text: string; strong?: boolean; place?: boolean; ref?: SentenceRef };
/** The fields of an event that its sentence needs. */
export type EventSentence = {
  summary: string;
  parts?: readonly SentencePart[];
  featureName: string | null;
  project: string | null;
  createdBy: string;
};

/** Returns the parts of an event's sentence, either as sent by the server or parsed from the Markdown in `summary`. */
export function getSentenceParts(event: EventSentence): readonly SentencePart[] {
  return event.parts ?? parseSummary(event.summary).map(part => addReference(part, event));
}

/** Returns the text of a part, with the label of a built-in strategy type instead of its name. */
export const getPartText = ({ text, ref }: SentencePart): string =>
  ref?.kind === 'strategy' ? getStrategyLabel(text) : text;

/** Splits a line of Markdown that contains only bold text and backslash escapes. */
export function parseSummary(summary: string): SentencePart[] {
  const parts: SentencePart[] = [];
  let text = '';
  let strong = false;
  const endPart = () => {
    if (text !== '') parts.push(strong ? { text, strong } : { text });
    text = '';
  };
  for (let index = 0; index < summary.length; index++) {
    const [character = '', next = ''] = [summary[index], summary[index + 1]];
    if (character === '\\' && /[!-/:-@[-`{-~]/.test(next)) {
      text += next;
      index++;
    } else if (character === '*' && next === '*') {
      endPart();
      strong = !strong;
      index++;
    } else text += character;
  }
  endPart();
  return parts;
}

function addReference(part: SentencePart, { featureName, project }: EventSentence): SentencePart {
  if (!part.strong || part.text !== featureName || project === null) return part;
  return { ...part, ref: { kind: 'feature', id: featureName, project } };
}

/** The administration page of each kind of subject. `$` is replaced with the id of the subject. */
const ADMINISTRATION_PAGES: Record<string, readonly [path: string, search?: Search]> = {
  segment: ['/admin/segments/$'],
  'context-field': ['/admin/context-fields/$'],
  group: ['/admin/groups/$'],
  role: ['/admin/roles/$'],
  'service-account': ['/admin/service-accounts/$'],
  user: ['/admin/users', { user: '$' }],
  environment: ['/admin/environments', { edit: 'environment:$' }],
  strategy: ['/admin/strategy-types', { edit: 'type:$' }],
  'feature-type': ['/admin/feature-types', { edit: 'type:$' }],
  'tag-type': ['/admin/tags', { edit: 'type:$' }],
};

export type LinkTarget = { to: string; search?: Search };

/**
 * Returns a link to the page of a subject, if there is such a page. `mayOpen` returns whether the user may open an administration
 * page.
 */
export function findLinkTarget(
  ref: SentenceRef | undefined,
  mayOpen: (path: string) => boolean,
): LinkTarget | undefined {
  if (!ref) return undefined;
  const id = encodeURIComponent(ref.id);
  if (ref.kind === 'feature' && ref.project !== undefined)
    return { to: `/projects/${encodeURIComponent(ref.project)}/features/${id}` };
  if (ref.kind === 'project') return { to: `/projects/${id}` };
  if (ref.kind === 'integration') return { to: `/integrations/${id}` };
  if (ref.kind === 'tag') return { to: '/flags', search: { tag: `INCLUDE:${ref.id}` } };
  const [path, search] = ADMINISTRATION_PAGES[ref.kind] ?? [];
  if (path === undefined || !mayOpen(path.replace('/$', ''))) return undefined;
  return {
    to: path.replace('$', () => id),
    ...(search && {
      search: Object.fromEntries(
        Object.entries(search).map(([name, value]) => [name, String(value).replace('$', () => ref.id)]),
      ),
    }),
  };
}
