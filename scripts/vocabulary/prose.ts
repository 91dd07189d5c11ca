/** A piece of text that people read: its place in the file, and whether it consists of sentences. */
export type Prose = { offset: number; text: string; isHeading?: boolean };

/** The prose of a file: pages without their code, comments and string literals of code, comments of SQL. */
export function proseOf(path: string, source: string): Prose[] {
  if (path.endsWith('.md')) return ofMarkdown(source);
  if (path.endsWith('.ts')) return ofTypeScript(source);
  if (path.endsWith('.sql')) return merge(commentsOfSql(source), source).map(withoutMarks);
  return matches(source, /.+/g);
}

const matches = (source: string, pattern: RegExp): Prose[] =>
  [...source.matchAll(pattern)].map(({ 0: text, index }) => ({ offset: index, text }));

const commentsOfSql = (source: string): Prose[] => matches(source, /--.*/g);

/** Replaces code, which may contain any word, and keeps the length, so that offsets stay right. */
const mask = (text: string, pattern: RegExp): string =>
  text.replace(pattern, found => found.replace(/[^\n]/g, '·'));

function ofMarkdown(source: string): Prose[] {
  const text = mask(
    mask(mask(source, /^( *)```[\s\S]*?^\1```/gm), /(`+)[^`][\s\S]*?\1/g),
    /\]\([^)\s]*\)|<https?:[^>]*>/g,
  );
  // A paragraph, a list item, a heading or a cell of a table.
  return matches(text, /(?:(?!\n\s*\n|\n\s*[-*|#>]|\n\s*\d+\.|\|)[\s\S])+/g).map(prose => ({
    ...prose,
    isHeading: /^\s*#/.test(prose.text),
  }));
}

const OPENS_EXPRESSION = /(?:^|[(,=:[!&|?{};+\n]|=>|\b(?:return|typeof|case))\s*$/;

const IS_SQL = /\bsql(?:<[^`;]*>)?$/;

function ofTypeScript(source: string): Prose[] {
  const found: Prose[] = [];
  const comments: Prose[] = [];
  let at = 0;

  const skipTo = (end: RegExp, from: number): number => {
    end.lastIndex = from;
    return end.exec(source) ? end.lastIndex : source.length;
  };

  /** Reads code until the closing brace of a template's expression, or to the end. */
  const readCode = (isNested: boolean): void => {
    let depth = 0;
    while (at < source.length) {
      const start = at;
      const character = source[at];
      if (source.startsWith('//', at)) {
        at = skipTo(/$/gm, at);
        comments.push({ offset: start, text: source.slice(start, at) });
      } else if (source.startsWith('/*', at)) {
        at = skipTo(/\*\//g, at + 2);
        comments.push({ offset: start, text: source.slice(start, at) });
      } else if (character === "'" || character === '"') {
        at = skipTo(character === "'" ? /(?:[^'\\\n]|\\[\s\S])*'/gy : /(?:[^"\\\n]|\\[\s\S])*"/gy, at + 1);
        if (!isModule(start)) found.push({ offset: start + 1, text: source.slice(start + 1, at - 1) });
      } else if (character === '`') {
        at += 1;
        readTemplate();
      } else if (character === '/' && OPENS_EXPRESSION.test(source.slice(Math.max(0, at - 40), at))) {
        at = skipTo(/(?:[^/\\[\n]|\\.|\[(?:[^\]\\\n]|\\.)*\])+\/[a-z]*/gy, at + 1);
      } else if (character === '{') {
        depth += 1;
        at += 1;
      } else if (character === '}') {
        at += 1;
        if (depth === 0 && isNested) return;
        depth -= 1;
      } else at += 1;
    }
  };

  const isModule = (start: number): boolean =>
    /\b(?:from|import)\s*\(?$/.test(source.slice(0, start).trimEnd());

  const readTemplate = (): void => {
    const start = at;
    const isSql = IS_SQL.test(source.slice(Math.max(0, start - 200), start - 1));
    let text = '';
    while (at < source.length && source[at] !== '`') {
      if (source[at] === '\\') {
        text += '··';
        at += 2;
      } else if (source.startsWith('${', at)) {
        const from = at;
        at += 2;
        readCode(true);
        text += source.slice(from, at).replace(/[^\n]/g, '·');
      } else {
        text += source[at];
        at += 1;
      }
    }
    at += 1;
    // The words of a statement are names of the schema. Its comments are prose.
    if (isSql)
      comments.push(...commentsOfSql(text).map(prose => ({ ...prose, offset: start + prose.offset })));
    else found.push({ offset: start, text });
  };

  readCode(false);
  const withoutCode = (prose: Prose): Prose => ({ ...prose, text: mask(prose.text, /`[^`\n]*`/g) });
  return [...merge(comments, source).map(withoutMarks).map(withoutCode), ...found];
}

/** Joins comments of consecutive lines, because a sentence may continue on the next line. */
function merge(comments: Prose[], source: string): Prose[] {
  const merged: Prose[] = [];
  for (const comment of comments) {
    const last = merged.at(-1);
    const end = last ? last.offset + last.text.length : 0;
    if (last && /^\n[ \t]*$/.test(source.slice(end, comment.offset))) {
      last.text = source.slice(last.offset, comment.offset + comment.text.length);
    } else merged.push({ ...comment });
  }
  return merged;
}

/** Replaces the signs of a comment by spaces. */
const withoutMarks = ({ offset, text }: Prose): Prose => ({
  offset,
  text: text.replace(/^[ \t]*(?:\/\*+|\*+\/|\*|\/\/|--)|\*+\/$/gm, marks => ' '.repeat(marks.length)),
});
