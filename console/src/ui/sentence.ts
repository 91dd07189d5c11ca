import type { Search } from './search.ts';

/** The subject that a part of a sentence names, for a link. */
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

/** The sentence of an event in parts: those of the server, or those read from the Markdown of `summary`. */
export function sentenceParts(event: EventSentence): readonly SentencePart[] {
  return event.parts ?? parseSummary(event.summary).map(part => withReference(part, event));
}

/** Splits the one line of Markdown: bold parts, and backslashes before punctuation. */
export function parseSummary(summary: string): SentencePart[] {
  const parts: SentencePart[] = [];
  let text = '';
  let strong = false;
  const end = () => {
    if (text !== '') parts.push(strong ? { text, strong } : { text });
    text = '';
  };
  for (let at = 0; at < summary.length; at++) {
    const [character = '', next = ''] = [summary[at], summary[at + 1]];
    if (character === '\\' && /[!-/:-@[-`{-~]/.test(next)) {
      text += next;
      at++;
    } else if (character === '*' && next === '*') {
      end();
      strong = !strong;
      at++;
    } else text += character;
  }
  end();
  return parts;
}

function withReference(part: SentencePart, { featureName, project }: EventSentence): SentencePart {
  if (!part.strong || part.text !== featureName || project === null) return part;
  return { ...part, ref: { kind: 'feature', id: featureName, project } };
}

/** Where the administration shows each kind of subject. `$` is replaced with its id. */
const IN_ADMINISTRATION: Record<string, readonly [path: string, search?: Search]> = {
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

export type Address = { to: string; search?: Search };

/** The page of what a part names, if the console has one. `mayOpen`: whether the user may open a page of the administration. */
export function addressOf(
  ref: SentenceRef | undefined,
  mayOpen: (path: string) => boolean,
): Address | undefined {
  if (!ref) return undefined;
  const id = encodeURIComponent(ref.id);
  if (ref.kind === 'feature' && ref.project !== undefined)
    return { to: `/projects/${encodeURIComponent(ref.project)}/features/${id}` };
  if (ref.kind === 'project') return { to: `/projects/${id}` };
  if (ref.kind === 'integration') return { to: `/integrations/${id}` };
  if (ref.kind === 'tag') return { to: '/flags', search: { tag: `INCLUDE:${ref.id}` } };
  const [path, search] = IN_ADMINISTRATION[ref.kind] ?? [];
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
