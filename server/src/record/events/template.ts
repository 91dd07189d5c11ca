import type { ReferenceName } from './references.ts';

/** Plain text, or alternatives: the first one that can be filled is used. */
export type Piece = string | Options;
/** `isPlace`: the options say where it happened, which a list of one place need not repeat. */
export type Options = { isPlace: boolean; options: Option[] };
export type Option = { texts: string[]; slots: Slot[] };
/** A value of the event, and what it refers to. */
export type Slot = { name: string; path: string[]; reference?: ReferenceName };

/** Parses `[a {b}|c]`, once per template, because a page has hundreds of events of a few types. */
const parsed = new Map<string, Piece[]>();

/** The parsed template of an event type (event-types.ts). */
export function parseTemplate(text: string): Piece[] {
  const known = parsed.get(text);
  if (known) return known;
  const pieces = text
    .split(/\[([^\]]*)\]/)
    .map((piece, index) => (index % 2 === 0 ? piece : parseOptions(piece)));
  parsed.set(text, pieces);
  return pieces;
}

const parseOptions = (text: string): Options => ({
  isPlace: text.startsWith('@'),
  options: text.replace(/^@/, '').split('|').map(parseOption),
});

function parseOption(option: string): Option {
  const pieces = option.split(/\{([\w.:]+)\}/);
  return {
    texts: pieces.filter((_, index) => index % 2 === 0),
    slots: pieces.filter((_, index) => index % 2 === 1).map(parseSlot),
  };
}

/** `{flag}`, or with the kind it refers to: `{segment:name}`. */
function parseSlot(text: string): Slot {
  const [name = '', reference] = text.split(':').reverse();
  const path = name.split('.');
  // We write the table of types, and a test checks every reference in it.
  return reference === undefined ? { name, path } : { name, path, reference: reference as ReferenceName };
}
