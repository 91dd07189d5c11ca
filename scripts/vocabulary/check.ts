import { proseOf } from './prose.ts';
import { SENTENCE_STARTS, WORDS, type Word } from './words.ts';

export type Finding = { path: string; line: number; found: string; instead: string };

/** A use that is right, because somebody else chose the word. */
export type Exception = { path: string; text: string; reason: string };

/** The banned words of one file. */
export function checkText(path: string, source: string, exceptions: Exception[] = []): Finding[] {
  const allowed = exceptions.filter(exception => exception.path === path).map(({ text }) => text);
  return proseOf(path, source)
    .flatMap(({ offset, text, isHeading }) =>
      [...WORDS, ...(isHeading ? [] : SENTENCE_STARTS)].flatMap(({ pattern, instead }: Word) =>
        // A phrase may continue on the next line.
        [...text.replace(/\s/g, ' ').matchAll(spaced(pattern))].map(match => ({
          path,
          start: offset + match.index,
          found: match[0].replace(/\s+/g, ' ').trim(),
          instead,
        })),
      ),
    )
    .filter(({ start }) => !allowed.some(text => isWithin(source, text, start)))
    .toSorted((a, b) => a.start - b.start)
    .map(({ start, ...rest }) => ({ ...rest, line: lineOf(source, start, rest.found) }));
}

const spaced = (pattern: RegExp): RegExp => new RegExp(pattern.source.replaceAll(' ', '\\s+'), pattern.flags);

const isWithin = (source: string, text: string, start: number): boolean => {
  for (let at = source.indexOf(text); at >= 0; at = source.indexOf(text, at + 1)) {
    if (at <= start && start < at + text.length) return true;
  }
  return false;
};

/** The line of the word itself: a match may begin with the end of the sentence before. */
const lineOf = (source: string, start: number, found: string): number =>
  source.slice(0, start + Math.max(0, found.search(/\w/))).split('\n').length;
