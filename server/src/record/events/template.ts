import type { ReferenceName } from './references.ts';

/** Plain text or alternatives. The first alternative whose slots can all be filled is used. */
export type Piece = string | Options;
/** With `isLocation`, the options say where the event happened, which a list about one project need not repeat. */
export type Options = { isLocation: boolean; options: Option[] };
export type Option = { texts: string[]; slots: Slot[] };
/** A value of the event, and what the value refers to. */
export type Slot = { name: string; path: string[]; reference?: ReferenceName };

/**
 * The pieces of templates such as `[a {b}|c]`. Each template is parsed only once, because a page has hundreds of events of a few
 * types.
 */
const parsedTemplates = new Map<string, Piece[]>();

/** Parses the template of an event type (event-types.ts). */
export function parseTemplate(text: string): Piece[] {
  const cachedPieces = parsedTemplates.get(text);
  if (cachedPieces) return cachedPieces;
  const pieces = text
    .split(/\[([^\]]*)\]/)
    .map((piece, index) => (index % 2 === 0 ? piece : parseOptions(piece)));
  parsedTemplates.set(text, pieces);
  return pieces;
}

const parseOptions = (text: string): Options => ({
  isLocation: text.startsWith('@'),
  options: text.replace(/^@/, '').split('|').map(parseOption),
});

function parseOption(option: string): Option {
  const pieces = option.split(/\{([\w.:]+)\}/);
  return {
    texts: pieces.filter((_, index) => index % 2 === 0),
    slots: pieces.filter((_, index) => index % 2 === 1).map(parseSlot),
  };
}

/** Parses `{flag}`, or `{segment:name}`, where the part before the colon is the kind that the value refers to. */
function parseSlot(text: string): Slot {
  const [name = '', reference] = text.split(':').reverse();
  const path = name.split('.');
  // The cast is safe, because the table of types is our own and a test checks every reference in it.
  return reference === undefined ? { name, path } : { name, path, reference: reference as ReferenceName };
}
