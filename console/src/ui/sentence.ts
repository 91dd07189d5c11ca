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

/** The page of what a part names, if the console has one. */
export function addressOf(ref: SentenceRef | undefined): string | undefined {
  if (!ref) return undefined;
  const id = encodeURIComponent(ref.id);
  if (ref.kind === 'feature' && ref.project !== undefined)
    return `/projects/${encodeURIComponent(ref.project)}/features/${id}`;
  if (ref.kind === 'project') return `/projects/${id}`;
  if (ref.kind === 'integration' || ref.kind === 'addon') return `/integrations/${id}`;
  return undefined;
}
